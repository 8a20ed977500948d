"""Pooling and resizing: everything here works on channels-last values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of, sizes_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order, results_of
from executorch.backends.xnnpack.graph.reduce import in_single_precision
from executorch.backends.xnnpack.graph.shape import CONCATENATIONS
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys
from executorch.passes.optimization.batch_norm import folded

_ALIGN_CORNERS = 8


def pair(values: Sequence[int] | int, default: Sequence[int] = (1, 1)) -> tuple[int, int]:
    """Height and width of an argument that gives one number for both, both, or nothing."""
    if isinstance(values, int):
        return values, values
    given = list(values) or list(default)
    return (given[0], given[-1]) if len(given) < 3 else (given[-2], given[-1])


def _pooling(operator: Operator, made: Any, dilation: Sequence[int], first: int, target: int) -> None:
    height, width = pair(operator.argument(1, "kernel_size"))
    stride = pair(operator.argument(2, "stride", ()) or (), (height, width))
    padding = pair(operator.argument(3, "padding", 0))
    result = next(iter(results_of(operator.node)), operator.result)
    sizes = zip(shape_of(operator.node.args[0])[2:], shape_of(result)[2:], strict=True)
    # Without `ceil_mode` nothing is missing: a window that does not fit is left out. XNNPACK pads with what does not count.
    missing = [
        max(0, (after - 1) * step + (length - 1) * apart + 1 - before - 2 * margin)
        for (before, after), length, step, margin, apart in zip(
            sizes, (height, width), stride, padding, dilation, strict=True
        )
    ]
    operator.add(
        made(
            padding_top=padding[0],
            padding_right=padding[1] + missing[1],
            padding_bottom=padding[0] + missing[0],
            padding_left=padding[1],
            pooling_height=height,
            pooling_width=width,
            stride_height=stride[0],
            stride_width=stride[1],
            dilation_height=dilation[0],
            dilation_width=dilation[1],
            input_id=first,
            output_id=target,
        )
    )


@lowers("aten.max_pool2d.default", "aten.max_pool2d_with_indices.default", order=Order.CHANNELS_LAST)
def max_pool2d(operator: Operator) -> None:
    """Values only."""
    first = operator.input(operator.node.args[0], Layout.CHANNELS_LAST)
    result = next(iter(results_of(operator.node)), operator.result)
    target = operator.builder.output(result, Layout.CHANNELS_LAST)
    _pooling(operator, schema.XNNMaxPooling2d, pair(operator.argument(4, "dilation", 1)), first, target)


@lowers("aten.avg_pool2d.default", order=Order.CHANNELS_LAST)
def avg_pool2d(operator: Operator) -> None:
    def calculate(first: int, target: int) -> None:
        _pooling(operator, schema.XNNAvgPooling2d, (1, 1), first, target)

    in_single_precision(operator, calculate, Layout.CHANNELS_LAST)


def _adaptive_order(node: Node) -> Order:
    same = shape_of(node)[2:] == shape_of(node.all_input_nodes[0])[2:]
    return Order.ALIAS if same else Order.CHANNELS_LAST


@lowers("aten._adaptive_avg_pool2d.default", order=_adaptive_order)
def adaptive_avg_pool2d(operator: Operator) -> None:
    """Windows side by side, where height and width are multiples of the result's; nothing where they are the result's."""
    source: Any = operator.node.args[0]
    before, after = shape_of(source)[2:], shape_of(operator.result)[2:]
    if before == after:
        operator.builder.same(operator.result, source)
        return
    height, width = (size // windows for size, windows in zip(before, after, strict=True))

    def calculate(first: int, target: int) -> None:
        operator.add(
            schema.XNNAvgPooling2d(
                pooling_height=height,
                pooling_width=width,
                stride_height=height,
                stride_width=width,
                dilation_height=1,
                dilation_width=1,
                input_id=first,
                output_id=target,
            )
        )

    in_single_precision(operator, calculate, Layout.CHANNELS_LAST)


@lowers("aten.upsample_bilinear2d.vec", "aten.upsample_bilinear2d.default", order=Order.CHANNELS_LAST)
def upsample_bilinear2d(operator: Operator) -> None:
    first = operator.input(operator.node.args[0], Layout.CHANNELS_LAST)
    height, width = shape_of(operator.result)[2:]
    operator.add(
        schema.XNNStaticResizeBilinear2D(
            new_height=height,
            new_width=width,
            input_id=first,
            output_id=operator.output(Layout.CHANNELS_LAST),
            flags=_ALIGN_CORNERS if operator.argument(2, "align_corners") else 0,
        )
    )


@lowers("aten.upsample_nearest2d.vec", "aten._upsample_nearest_exact2d.vec", order=Order.CHANNELS_LAST)
def upsample_nearest2d(operator: Operator) -> None:
    """A pixel is joined with itself along the channels, which are pixels side by side then, and so is a row along its own."""
    source = operator.node.args[0]
    batch, channels, height, width = sizes_of(source)
    new_height, new_width = shape_of(operator.result)[2:]
    builder, kind = operator.builder, operator.output_type
    pixels = operator.input(source, Layout.CHANNELS_LAST)
    pixels = _repeated(operator, pixels, [batch, height, width, channels], new_width // width)
    rows = [batch, height, 1, new_width * channels]
    made = _repeated(operator, builder.reshape(pixels, rows, kind), rows, new_height // height)
    wanted = [batch, new_height, new_width, channels]
    builder.reshape(made, wanted, kind, operator.output(Layout.CHANNELS_LAST))


def _repeated(operator: Operator, value: int, shape: list[Any], times: int) -> int:
    """``value`` that often, one behind the other along its last dimension."""
    if times == 1:
        return value
    builder = operator.builder
    target = builder.value([*shape[:-1], shape[-1] * times], operator.output_type)
    inputs = {f"input{number + 1}_id": value for number in range(times)}
    operator.add(CONCATENATIONS[times](axis=len(shape) - 1, output_id=target, **inputs))
    return target


@lowers(
    "aten._native_batch_norm_legit_no_training.default",
    "aten.native_batch_norm.default",
    order=Order.SAME,
)
def batch_norm(operator: Operator) -> None:
    """One that could not be folded: a product and a sum, in whatever order the input comes."""
    builder = operator.builder
    source = operator.node.args[0]
    shape = shape_of(source)
    dtype = source.meta[meta_keys.VAL].dtype
    weight, bias = folded(
        torch.ones(shape[1], dtype=dtype), None, operator.node, builder.constants, channel=0
    )
    result = next(user for user in operator.node.users if user.args[1:] == (0,))
    layout = operator.layout_of(result)
    aligned = layout.arrange([1, shape[1], *[1] * (len(shape) - 2)])
    scaled = builder.value(layout.arrange(shape), builder.type_of(source))
    factor, offset = (builder.constant(one.reshape(aligned)) for one in (weight, bias))
    first = builder.input(source, layout)
    made = schema.XNNMultiply(input1_id=first, input2_id=factor, output_id=scaled)
    builder.add(made, operator.node)
    operator.add(schema.XNNAdd(input1_id=scaled, input2_id=offset, output_id=builder.output(result, layout)))
