"""Pooling and resizing: everything here works on channels-last values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import shape_of, sizes_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order, results_of
from executorch.backends.xnnpack.graph.reduce import FLOATS, in_single_precision
from executorch.backends.xnnpack.graph.shape import repeated
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import example_int
from executorch.passes.optimization.batch_norm import folded

_ALIGN_CORNERS = 8


def pair(values: Sequence[int] | int, default: Sequence[int] = (1, 1)) -> tuple[int, int]:
    """Height and width of an argument that gives one number for both, both, or nothing."""
    if isinstance(values, int):
        return values, values
    given = list(values) or list(default)
    return (given[0], given[-1]) if len(given) < 3 else (given[-2], given[-1])


def three(values: Sequence[int] | int) -> list[int]:
    """Of frames, height and width: an argument that gives one number for all, or each."""
    given = [values] if isinstance(values, int) else list(values)
    return given * 3 if len(given) == 1 else given


@dataclass(frozen=True)
class _Windows:
    """How windows lie along one dimension.

    Attributes:
        length: of a window.
        step: from one to the next.
        margin: before the first element, and behind the last.
        apart: from one element of a window to the next.
    """

    length: int
    step: int
    margin: int = 0
    apart: int = 1

    def missing(self, before: int, after: int) -> int:
        """What a last window has behind the margin. Without `ceil_mode` nothing is: a window that does not fit is left out."""
        return max(0, (after - 1) * self.step + (self.length - 1) * self.apart + 1 - before - 2 * self.margin)


def _pool(
    made: Any,
    rows: Sequence[_Windows],
    before: Sequence[int],
    after: Sequence[int],
    first: int,
    target: int,
) -> Any:
    """A node over windows of images: heights and widths ``before`` and ``after``. XNNPACK pads with what does not count."""
    vertical, horizontal = rows
    return made(
        padding_top=vertical.margin,
        padding_right=horizontal.margin + horizontal.missing(before[1], after[1]),
        padding_bottom=vertical.margin + vertical.missing(before[0], after[0]),
        padding_left=horizontal.margin,
        pooling_height=vertical.length,
        pooling_width=horizontal.length,
        stride_height=vertical.step,
        stride_width=horizontal.step,
        dilation_height=vertical.apart,
        dilation_width=horizontal.apart,
        input_id=first,
        output_id=target,
    )


def _pooling(operator: Operator, made: Any, dilation: Sequence[int], first: int, target: int) -> None:
    size = pair(operator.argument(1, "kernel_size"))
    stride = pair(operator.argument(2, "stride", ()) or (), size)
    padding = pair(operator.argument(3, "padding", 0))
    vertical, horizontal = map(_Windows, size, stride, padding, dilation)
    result = next(iter(results_of(operator.node)), operator.result)
    before, after = shape_of(operator.node.args[0])[2:], shape_of(result)[2:]  # type: ignore[arg-type]
    operator.add(_pool(made, (vertical, horizontal), before, after, first, target))


def _volume_pooling(operator: Operator, made: Any, dilation: Any, first: int, target: int) -> None:
    """Over the windows of each frame, then over frames what that leaves."""
    builder, node = operator.builder, operator.node
    result = next(iter(results_of(node)), operator.result)
    kind = builder.type_of(result) if made is schema.XNNMaxPooling2d else FLOATS
    size = three(operator.argument(1, "kernel_size"))
    stride = three(operator.argument(2, "stride", ()) or size)
    padding = three(operator.argument(3, "padding", 0))
    frames, *rows = map(_Windows, size, stride, padding, three(dilation))
    samples, channels, *before = sizes_of(node.args[0])  # type: ignore[arg-type]
    after, value = sizes_of(result)[2:], first
    steps = [
        (rows, [samples * before[0]], before[1:], after[1:]),
        (
            [frames, _Windows(1, 1)],
            [samples],
            [before[0], after[1] * after[2]],
            [after[0], after[1] * after[2]],
        ),
    ]
    for windows, images, old, new in steps:
        if any(one.length > 1 for one in windows):
            image = builder.reshape(value, [*images, *old, channels], kind)
            value = builder.value([*images, *new, channels], kind)
            seen, made_of = ([example_int(one) for one in sizes] for sizes in (old, new))
            builder.add(_pool(made, windows, seen, made_of, image, value), node)
    builder.reshape(value, [samples, *after, channels], kind, target)


@lowers("aten.max_pool3d_with_indices.default", order=Order.CHANNELS_LAST)
def max_pool3d(operator: Operator) -> None:
    """Values only."""
    first = operator.input(operator.node.args[0], Layout.CHANNELS_LAST)  # type: ignore[arg-type]
    target = operator.builder.output(results_of(operator.node)[0], Layout.CHANNELS_LAST)
    _volume_pooling(operator, schema.XNNMaxPooling2d, operator.argument(4, "dilation", 1), first, target)


@lowers("aten.avg_pool3d.default", order=Order.CHANNELS_LAST)
def avg_pool3d(operator: Operator) -> None:
    def calculate(first: int, target: int) -> None:
        _volume_pooling(operator, schema.XNNAvgPooling2d, 1, first, target)

    in_single_precision(operator, calculate, Layout.CHANNELS_LAST)


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
    pixels = repeated(operator, pixels, [batch, height, width, channels], 3, new_width // width)
    rows = [batch, height, 1, new_width * channels]
    made = repeated(operator, builder.reshape(pixels, rows, kind), rows, 3, new_height // height)
    wanted = [batch, new_height, new_width, channels]
    builder.reshape(made, wanted, kind, operator.output(Layout.CHANNELS_LAST))


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
