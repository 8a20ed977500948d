"""Means and maxima, and the norms that are made of them.

XNNPACK's graph has a mean over the second and third of four dimensions. One over the last dimension is a product with
a column of equal numbers, which reads its input where it lies; others are brought into that form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import ElementType, GraphBuilder, shape_of, sizes_of
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.graph.orders import Order, results_of
from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import INVALID_ID
from executorch.dialects import meta_keys

#: Flag of means: the dimensions that they are over stay, with size 1.
KEEP_DIMS = 64
FLOATS = ElementType(schema.XNNDatatype.xnn_datatype_fp32)


def mean_dimensions(node: Node) -> list[int]:
    """The dimensions over which a mean goes, ascending; all if it names none."""
    rank = node.all_input_nodes[0].meta[meta_keys.VAL].dim()
    dims = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim")
    return sorted({dim % rank for dim in dims} if dims else range(rank))  # type: ignore[union-attr, operator]


def maximum_dimensions(node: Node) -> list[int]:
    """The dimensions over which a maximum goes, ascending; all if it names none."""
    rank = node.all_input_nodes[0].meta[meta_keys.VAL].dim()
    named = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", ())
    dims: Any = [named] if isinstance(named, int) else named
    return sorted({dim % rank for dim in dims} if dims else range(rank))


def is_over_image(node: Node) -> bool:
    """Whether a mean goes over height and width of an image, which channels-last order makes cheap."""
    return node.all_input_nodes[0].meta[meta_keys.VAL].dim() == 4 and mean_dimensions(node) == [2, 3]


def _order(node: Node) -> Order:
    return Order.CHANNELS_LAST if is_over_image(node) else Order.PLAIN


@lowers("aten.mean.default", "aten.mean.dim", order=_order)
def mean(operator: Operator) -> None:
    source = operator.node.args[0]
    keep = bool(operator.argument(2, "keepdim", False))
    if is_over_image(operator.node):
        _image_mean(operator, source, keep)
        return
    builder = operator.builder
    shape, dims = shape_of(source), mean_dimensions(operator.node)
    if dims == [len(shape) - 1] and operator.quantized is None:
        first, kind = operator.input(source), operator.input_type(source)
        rows = operator.output() if keep else None
        result = row_mean(builder, first, shape, kind, rows, handle=operator.node)
        if not keep:
            builder.reshape(result, sizes_of(operator.result), operator.output_type, operator.output())
    else:
        _block_mean(operator, dims)


@lowers("aten.sum.dim_IntList", order=_order)
def total(operator: Operator) -> None:
    """Over the last dimension, or the mean over neighbouring ones by their number."""
    source, builder = operator.node.args[0], operator.builder
    dims, shape = mean_dimensions(operator.node), shape_of(source)
    kind, keep = operator.input_type(source), bool(operator.argument(2, "keepdim", False))
    if dims == [len(shape) - 1] and dims != [0]:
        kept = operator.output() if keep else None
        result = _row_product(builder, operator.input(source), shape, kind, 1.0, kept, handle=operator.node)
        if kept is None:
            builder.reshape(result, sizes_of(operator.result), operator.output_type, operator.output())
        return
    layout = Layout.CHANNELS_LAST if is_over_image(operator.node) and keep else Layout.PLAIN
    means = builder.value(layout.arrange(sizes_of(operator.result)), kind)
    if is_over_image(operator.node):
        _image_mean(operator, source, keep, means)
    else:
        _block_mean(operator, dims, means)
    count = builder.constant(torch.full((1,), float(math.prod(shape[dim] for dim in dims))))
    operator.add(schema.XNNMultiply(input1_id=means, input2_id=count, output_id=operator.output(layout)))


def _block_mean(operator: Operator, dims: Sequence[int], target: int | None = None) -> None:
    """The mean over neighbouring dimensions, as a pool of what is an image for it; ``target`` is the result by default."""
    builder, source = operator.builder, operator.node.args[0]
    inner = _as_image(sizes_of(source), dims)
    block = builder.reshape(operator.input(source), inner, operator.input_type(source))
    result = builder.value([inner[0], 1, 1, inner[3]], operator.output_type)
    operator.add(schema.XNNGlobalAvgPooling2d(input_id=block, output_id=result, flags=KEEP_DIMS))
    target = operator.output() if target is None else target
    builder.reshape(result, sizes_of(operator.result), operator.output_type, target)


def _as_image(shape: Sequence[Any], dims: Sequence[int]) -> list[Any]:
    """The channels-last shape whose height is what lies along neighbouring dimensions."""
    first, behind = dims[0], dims[-1] + 1
    return [math.prod(shape[:first]), math.prod(shape[first:behind]), 1, math.prod(shape[behind:])]


@lowers("aten.amax.default", "aten.max.dim")
def maximum(operator: Operator) -> None:
    """The largest along neighbouring dimensions, as a pool with one window; positions are not known."""
    builder, source = operator.builder, operator.node.args[0]
    result = next(iter(results_of(operator.node)), operator.result)
    image = _as_image(sizes_of(source), maximum_dimensions(operator.node))
    block = builder.reshape(operator.input(source), image, operator.input_type(source))
    pooled = builder.value([image[0], 1, 1, image[3]], builder.type_of(result))
    made = schema.XNNMaxPooling2d(
        padding_top=0,
        padding_right=0,
        padding_bottom=0,
        padding_left=0,
        pooling_height=image[1],
        pooling_width=1,
        stride_height=image[1],
        stride_width=1,
        dilation_height=1,
        dilation_width=1,
        input_id=block,
        output_id=pooled,
    )
    builder.add(made, operator.node)
    builder.reshape(pooled, sizes_of(result), builder.type_of(result), builder.output(result))


def _image_mean(operator: Operator, source: Node, keep: bool, target: int | None = None) -> None:
    """The mean over height and width; ``target`` is the result by default, in channels-last order if these stay."""
    builder = operator.builder
    batch, channels = sizes_of(source)[:2]
    first = operator.input(source, Layout.CHANNELS_LAST)
    if target is None:
        target = operator.output(Layout.CHANNELS_LAST if keep else Layout.PLAIN)
    pooled = target if keep else builder.value([batch, 1, 1, channels], operator.output_type)
    operator.add(schema.XNNGlobalAvgPooling2d(input_id=first, output_id=pooled, flags=KEEP_DIMS))
    if not keep:
        builder.reshape(pooled, [batch, channels], operator.output_type, target)


def row_mean(
    builder: GraphBuilder,
    source: int,
    shape: list[int],
    kind: ElementType,
    target: int | None = None,
    offset: float = 0.0,
    handle: Node | None = None,
) -> int:
    """The mean over the last dimension, which becomes 1, plus ``offset``.

    Args:
        builder: gets the node.
        source: value of ``shape`` and ``kind``, in floating point.
        shape: sizes of ``source``.
        kind: type of the elements.
        target: value to write, a new one by default.
        offset: is added.
        handle: the node of the model that this is part of.
    """
    return _row_product(builder, source, shape, kind, 1 / shape[-1], target, offset, handle)


def _row_product(
    builder: GraphBuilder,
    source: int,
    shape: list[int],
    kind: ElementType,
    factor: float,
    target: int | None = None,
    offset: float = 0.0,
    handle: Node | None = None,
) -> int:
    """The sum over the last dimension, which becomes 1, times ``factor`` plus ``offset``."""
    target = builder.value([*shape[:-1], 1], kind) if target is None else target
    dtype = torch.float16 if kind.datatype is schema.XNNDatatype.xnn_datatype_fp16 else torch.float32
    weight = builder.constant(torch.full((1, shape[-1]), factor, dtype=dtype))
    bias = builder.constant(torch.full((1,), offset, dtype=dtype)) if offset else INVALID_ID
    made = schema.XNNFullyConnected(input1_id=source, filter_id=weight, bias_id=bias, output_id=target)
    builder.add(made, handle)
    return target


def in_single_precision(
    operator: Operator, calculate: Callable[[int, int], None], layout: Layout = Layout.PLAIN
) -> None:
    """A result that is calculated in floats, also of halves: their sums and squares above 65,504 are no halves.

    Args:
        operator: of floating-point numbers.
        calculate: gets the value of the first argument and the one to write, both floats and in ``layout``.
        layout: of both.
    """
    builder, source = operator.builder, operator.node.args[0]
    result = next((one for one in results_of(operator.node) if one.args[1] == 0), operator.result)
    first = builder.input(source, layout)  # type: ignore[arg-type]
    target = builder.output(result, layout)
    if builder.type_of(result) == FLOATS:
        calculate(first, target)
        return
    shape = layout.arrange(sizes_of(source))  # type: ignore[arg-type]
    floats = builder.value(layout.arrange(sizes_of(result)), FLOATS)
    calculate(_floats_of(builder, first, shape), floats)
    builder.add(schema.XNNConvert(input_id=floats, output_id=target), operator.node)


def _floats_of(builder: GraphBuilder, halves: int, shape: Sequence[Any]) -> int:
    floats = builder.value(shape, FLOATS)
    builder.add(schema.XNNConvert(input_id=halves, output_id=floats))
    return floats


def parameter_of_norm(builder: GraphBuilder, node: Node) -> int:
    """A weight or bias as floats."""
    tensor = builder.tensor_of(node)
    if tensor is not None:
        return builder.constant(tensor.float())
    value = builder.input(node)
    return value if builder.type_of(node) == FLOATS else _floats_of(builder, value, sizes_of(node))


@lowers("aten.native_layer_norm.default")
def layer_norm(operator: Operator) -> None:
    """Over the last dimension: ``(x - mean) / sqrt(variance + eps) * weight + bias``."""
    source, _, weight, bias, eps = operator.node.args
    builder, shape = operator.builder, shape_of(source)

    def calculate(first: int, target: int) -> None:
        middle = row_mean(builder, first, shape, FLOATS, handle=operator.node)
        centred = builder.value(shape, FLOATS)
        operator.add(schema.XNNSubtract(input1_id=first, input2_id=middle, output_id=centred))
        squares = builder.value(shape, FLOATS)
        operator.add(schema.XNNSquare(input_id=centred, output_id=squares))
        variance = row_mean(builder, squares, shape, FLOATS, offset=float(eps), handle=operator.node)
        scale = builder.value([*shape[:-1], 1], FLOATS)
        operator.add(schema.XNNReciprocalSquareRoot(input_id=variance, output_id=scale))
        # Each step but the last writes a value of its own.
        steps = [(schema.XNNMultiply, scale)]
        steps += [(schema.XNNMultiply, parameter_of_norm(builder, weight))] if weight is not None else []
        steps += [(schema.XNNAdd, parameter_of_norm(builder, bias))] if bias is not None else []
        value = centred
        for number, (made, other) in enumerate(steps):
            written = target if number == len(steps) - 1 else builder.value(shape, FLOATS)
            operator.add(made(input1_id=value, input2_id=other, output_id=written))
            value = written

    in_single_precision(operator, calculate)
