"""Operators on quantized values: integers in, integers out, in the arithmetic of TOSA's INT profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.lowering import Lowering, Order, Value, channels_last, plain_order
from executorch.backends.arm.tosa.graph.quantized import (
    Call,
    Quant,
    Weight,
    clamp_limits,
    parameters_of,
    weight_of,
)
from executorch.backends.arm.tosa.graph.registry import integer
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.operators.elementwise import argument
from executorch.backends.arm.tosa.operators.matrix import batched
from executorch.backends.arm.tosa.operators.pools import adaptive, pooled_average, pooled_maximum
from executorch.backends.arm.tosa.operators.reduce import axes_of, count_of, reduce_all, summed_up
from executorch.backends.arm.tosa.operators.shape import (
    MOVERS,
    ORDERED,
    padded,
    renamed,
    sources_of,
    with_ones,
)
from executorch.backends.arm.tosa.operators.spatial import (
    Convolution,
    convolve,
    finish_image,
    image,
    resize_of,
    resized,
)
from executorch.dialects import meta_keys

#: Bits that sums keep below the coarser of two scales.
HEADROOM = {torch.int8: 20, torch.int16: 12}


def source(low: Lowering, node: Any) -> tuple[Value, Quant]:
    """An operand: what was dequantized, or a constant, which is quantized here to int8."""
    value = low.value(node) if isinstance(node, Node) else Value((), constant=torch.tensor(float(node)))
    if value.quant is not None:
        return value, value.quant
    constant = value.constant
    if constant is None:
        raise ValueError(f"{node} is not quantized")
    if isinstance(node, Node) and name_of(node) == "quantized_decomposed.dequantize_per_tensor.default":
        quant = parameters_of(node)
        stored = low.constants(node.args[0])  # type: ignore[arg-type]
        if quant is not None and stored is not None:
            return Value(tuple(stored.shape), constant=stored), quant
    largest = float(constant.abs().max()) or 1.0
    quant = Quant(largest / 127, 0, -128, 127, torch.int8)
    return Value(value.shape, constant=torch.round(constant.double() / quant.scale).to(torch.int8)), quant


def finish(low: Lowering, call: Call, made: Tensor, order: Order | None = None) -> None:
    """Clamps as the activation says, and as the quantization does if its range is not that of its type."""
    low.set(call.result, limited(low, call, made), order)


def limited(low: Lowering, call: Call, made: Tensor) -> Tensor:
    """Within the limits of the activation and of the quantization."""
    out = call.output
    least, most = out.low, out.high
    if call.clamp is not None:
        bounds = [one if math.isinf(one) else round(one / out.scale) + out.zero_point for one in call.clamp]
        least, most = max(least, int(max(bounds[0], -(2**31)))), min(most, int(min(bounds[1], 2**31 - 1)))
    if (least, most) == out.limits:
        return made
    return low.builder.clamp(made, least, max(least, most))


def same(low: Lowering, x: Tensor, have: Quant, want: Quant) -> Tensor:
    """Integers of one quantization as those of another."""
    if (have.scale, have.zero_point, have.dtype) == (want.scale, want.zero_point, want.dtype):
        return x
    ratio = have.scale / want.scale
    return rescale(low.builder, x, ratio, DTYPES[want.dtype], have.zero_point, want.zero_point)


def operands(low: Lowering, nodes: Sequence[Any], rank: int) -> tuple[Order, list[tuple[Tensor, Quant]]]:
    """Operands of an elementwise operator, in one order, each with its quantization."""
    order = low.order_of(nodes, rank)
    found = []
    for node in nodes:
        value, quant = source(low, node)
        if value.constant is not None:
            shaped = value.constant.reshape([1] * (rank - len(value.shape)) + list(value.shape)).permute(
                order
            )
            found.append((low.builder.constant(shaped.contiguous().numpy(), DTYPES[quant.dtype]), quant))
            continue
        bare = Value(value.shape, value.forms)
        if len(value.shape) == rank:
            found.append((low.form(bare, order), quant))
            continue
        flat = low.form(bare, plain_order(len(value.shape)))
        wide = low.builder.reshape(flat, [1] * (rank - len(value.shape)) + list(value.shape))
        found.append((low.builder.transpose(wide, order), quant))
    return order, found


@integer("aten.add.Tensor", "aten.sub.Tensor")
def add(low: Lowering, call: Call) -> None:
    """Both as int32 in a scale that is finer than either, then one sum and one rescale."""
    node, b = call.node, low.builder
    order, found = operands(low, node.args[:2], node.meta[meta_keys.VAL].dim())
    alpha = float(node.kwargs.get("alpha", 1))  # type: ignore[arg-type]
    scales = [found[0][1].scale, found[1][1].scale * abs(alpha)]
    common = 2 * max(scales)
    bits = min(HEADROOM[one[1].dtype] for one in found)
    wide = [
        rescale(b, x, scale / common * 2.0**bits, DType.INT32, quant.zero_point)
        for (x, quant), scale in zip(found, scales, strict=True)
    ]
    minus = ("sub" in name_of(node)) != (alpha < 0)
    made = b.sub(*wide) if minus else b.add(*wide)
    out = call.output
    small = rescale(b, made, common / 2.0**bits / out.scale, DTYPES[out.dtype], 0, out.zero_point)
    finish(low, call, small, order)


@integer("aten.mul.Tensor")
def mul(low: Lowering, call: Call) -> None:
    product(low, call, call.node.args[:2])


def product(low: Lowering, call: Call, factors: Sequence[Any]) -> None:
    """Of two operands, exact up to one rescale."""
    b, out = low.builder, call.output
    order, found = operands(low, factors, call.node.meta[meta_keys.VAL].dim())
    wide = [rescale(b, x, 1.0, DType.INT32, quant.zero_point) for x, quant in found]
    factor = found[0][1].scale * found[1][1].scale / out.scale
    finish(
        low, call, rescale(b, b.mul(wide[0], wide[1]), factor, DTYPES[out.dtype], 0, out.zero_point), order
    )


@integer("aten.maximum.default", "aten.minimum.default")
def extreme(low: Lowering, call: Call) -> None:
    node, b, out = call.node, low.builder, call.output
    order, found = operands(low, node.args[:2], node.meta[meta_keys.VAL].dim())
    wide = [rescale(b, same(low, x, quant, out), 1.0, DType.INT32) for x, quant in found]
    made = b.maximum(*wide) if "maximum" in name_of(node) else b.minimum(*wide)
    finish(low, call, rescale(b, made, 1.0, DTYPES[out.dtype]), order)


@integer("aten.relu.default", "aten.hardtanh.default", "aten.clamp.default")
def clamp(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    call.clamp = clamp_limits(call.node)
    finish(low, call, same(low, x, have, call.output), order)


def move(low: Lowering, call: Call) -> None:
    """Data is moved; integers are brought to the result's scale first."""
    tensors = []
    for one in sources_of(call.node):
        value, have = source(low, one)
        bare = Value(value.shape, value.forms, value.constant)
        tensors.append(same(low, low.form(bare, plain_order(len(value.shape))), have, call.output))
    name = name_of(call.node)
    if name == "aten.constant_pad_nd.default":
        real = float(argument(call.node, 2, "value", 0.0))
        fill = round(real / call.output.scale) + call.output.zero_point
        made = padded(low.builder, tensors[0], call.node, min(max(fill, call.output.low), call.output.high))
    else:
        made = MOVERS[name](low.builder, tensors, call.node)
    low.set(call.result, made)


for _name in MOVERS:
    integer(_name)(move)


def move_in_order(low: Lowering, call: Call) -> None:
    """As `move`, in the order that is there where the mover has it."""
    mover = ORDERED[name_of(call.node)]
    order = mover.order(low, call.node)
    tensors = []
    for one in sources_of(call.node):
        value, have = source(low, one)
        bare = Value(value.shape, value.forms, value.constant)
        tensors.append(same(low, low.form(bare, order), have, call.output))
    low.set(call.result, *mover.function(low.builder, tensors, call.node, order))


for _name in ORDERED:
    integer(_name)(move_in_order)


@integer("aten.permute_copy.default")
def permute(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms, value.constant))
    low.set(call.result, same(low, x, have, call.output), renamed(order, call.node))


@integer("aten.squeeze_copy.dims", "aten.unsqueeze_copy.default")
def change_rank(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms, value.constant))
    order, made = with_ones(low.builder, same(low, x, have, call.output), order, call.node)
    low.set(call.result, made, order)


@integer("dim_order_ops._clone_dim_order.default")
def copy(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    low.set(call.result, same(low, x, have, call.output), order)


def accumulator_of(x: Tensor) -> Any:
    """The type of sums of products."""
    return DType.INT48 if x.dtype == DType.INT16 else DType.INT32


def filters_in(low: Lowering, x: Tensor, weight: Weight) -> Any:
    """The type of filters: of four bits where they have no more, and values of int8 stand beside them."""
    four = weight.has_four_bits and x.dtype == DType.INT8 and low.spec.support_extension("int4")
    return DType.INT4 if four else DType.INT8


def product_scales(low: Lowering, have: Quant, weight: Weight, out: Quant) -> np.ndarray:
    """Of the accumulator, over that of the result."""
    return have.scale * weight.scales.astype(np.float64) / out.scale


def bias_of(low: Lowering, node: Any, have: Quant, weight: Weight, outputs: int) -> np.ndarray:
    """As integers of 32 bits, of 40 for values of int16, in the accumulator's scale."""
    given = low.constants(node) if isinstance(node, Node) else None
    if given is None:
        return np.zeros(outputs, np.int64)
    whole = np.round(given.double().numpy() / (have.scale * weight.scales.astype(np.float64)))
    most = 2.0 ** (31 if have.dtype is torch.int8 else 39)
    return np.clip(whole, -most, most - 1).astype(np.int64)


@integer("aten.convolution.default")
def convolution(low: Lowering, call: Call) -> None:
    node, b, out = call.node, low.builder, call.output
    value, have = source(low, node.args[0])
    found = Convolution.of(node)
    weight = weight_of(node.args[1], low.constants, output_dimension(node))  # type: ignore[arg-type]
    assert weight is not None
    outputs = weight.integers.shape[1] * found.groups if found.transposed else weight.integers.shape[0]
    x = image(low, Value(value.shape, value.forms))
    kind = filters_in(low, x, weight)
    zeros = b.constant([have.zero_point], x.dtype), b.constant([0], kind)
    bias = bias_of(low, node.args[2], have, weight, outputs)

    scales = product_scales(low, have, weight, out)
    made = convolve(b, x, weight.integers, bias, found, _Scaled(b, zeros, scales, out).make)
    finish_image(low, node, limited(low, call, made), found.was_1d, into=call.result)


@dataclass
class _Scaled:
    """Makes convolutions, group by group, and brings their sums to the result's scale: nothing else takes sums of 48 bits."""

    builder: Builder
    zeros: tuple[Tensor, Tensor]
    scales: np.ndarray
    out: Quant
    done: int = 0

    def make(
        self, op: str, x: Tensor, filters: Any, bias: Any, shape: Sequence[int], more: Sequence[Any]
    ) -> Tensor:
        b, sums = self.builder, accumulator_of(x)
        inputs = [x, b.constant(filters, self.zeros[1].dtype), b.constant(bias, sums), *self.zeros]
        made = b.emit(op, inputs, shape, sums, *more, False, sums)
        own = self.scales[self.done : self.done + shape[-1]] if len(self.scales) > 1 else self.scales
        self.done += shape[-1]
        return rescale(b, made, own, DTYPES[self.out.dtype], 0, self.out.zero_point)


def output_dimension(node: Node) -> int:
    """The dimension of a filter that belongs to the outputs."""
    return 1 if node.args[6] else 0


@integer("aten.linear.default", "aten.addmm.default", "aten.mm.default")
def linear(low: Lowering, call: Call) -> None:
    """A 1x1 convolution."""
    node, b, out = call.node, low.builder, call.output
    data, weight, bias = linear_parts(node, low.constants)
    assert weight is not None
    value, have = source(low, data)
    order, x = low.rows(Value(value.shape, value.forms))
    outputs, inputs = weight.integers.shape
    rows = math.prod(x.shape[:-1])
    kind = filters_in(low, x, weight)
    filters = b.constant(weight.integers.reshape(outputs, 1, 1, inputs), kind)
    sums = accumulator_of(x)
    added = b.constant(bias_of(low, bias, have, weight, outputs), sums)
    zeros = b.constant([have.zero_point], x.dtype), b.constant([0], kind)
    flat = b.reshape(x, [1, rows, 1, inputs])
    attributes = [0, 0, 0, 0], [1, 1], [1, 1], False, sums
    made = b.emit("CONV2D", [flat, filters, added, *zeros], [1, rows, 1, outputs], sums, *attributes)
    small = rescale(b, made, product_scales(low, have, weight, out), DTYPES[out.dtype], 0, out.zero_point)
    finish(low, call, b.reshape(small, [*x.shape[:-1], outputs]), order)


def linear_parts(node: Node, constants: Constants) -> tuple[Node, Weight | None, Any]:
    """Input, weight with a row for each output, bias."""
    if name_of(node) == "aten.linear.default":
        return node.args[0], weight_of(node.args[1], constants, 0), argument(node, 2, "bias")  # type: ignore[arg-type, return-value]
    data, other, bias = (
        (node.args[1], node.args[2], node.args[0]) if len(node.args) > 2 else (*node.args[:2], None)
    )
    assert isinstance(data, Node) and isinstance(other, Node)
    if name_of(other) in ("aten.permute_copy.default", "aten.t_copy.default"):
        return data, weight_of(other.args[0], constants, 0), bias  # type: ignore[arg-type]
    found = weight_of(other, constants, 1)
    return data, None if found is None else replace(found, integers=found.integers.T), bias


@integer("aten.bmm.default", "aten.matmul.default")
def bmm(low: Lowering, call: Call) -> None:
    node, b, out = call.node, low.builder, call.output
    found = [source(low, one) for one in node.args[:2]]
    x, y = (
        low.form(Value(value.shape, value.forms, value.constant), plain_order(len(value.shape)))
        for value, _ in found
    )
    zeros = [b.constant([quant.zero_point], DTYPES[quant.dtype]) for _, quant in found]

    factor = found[0][1].scale * found[1][1].scale / out.scale

    def multiply(x: Tensor, y: Tensor) -> Tensor:
        shape = [x.shape[0], x.shape[1], y.shape[2]]
        sums = b.emit("MATMUL", [x, y, *zeros], shape, accumulator_of(x))
        return rescale(b, sums, factor, DTYPES[out.dtype], 0, out.zero_point)

    finish(low, call, batched(low, x, y, node, multiply))


@integer("aten.max_pool2d_with_indices.default", "aten.max_pool3d_with_indices.default")
def max_pool(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order = channels_last(len(value.shape))
    x = low.form(Value(value.shape, value.forms), order)
    made = pooled_maximum(low.builder, x, call.node)
    low.set(call.result, same(low, made, have, call.output), order)


@integer(*(f"aten.{name}_pool{rank}d.default" for name in ("avg", "_adaptive_avg") for rank in (2, 3)))
def avg_pool(low: Lowering, call: Call) -> None:
    """Of a volume in two steps, each of which is rounded."""
    value, have = source(low, call.node.args[0])
    order = channels_last(len(value.shape))
    x = low.form(Value(value.shape, value.forms), order)
    zero = low.builder.constant([have.zero_point], x.dtype)
    if "adaptive" in name_of(call.node):
        made = adaptive(low.builder, x, call.node, (zero, zero), DType.INT32)
    else:
        made = pooled_average(low.builder, x, call.node, (zero, zero), DType.INT32, have.zero_point)
    low.set(call.result, same(low, made, have, call.output), order)


@integer("aten.mean.dim", "aten.mean.default", "aten.sum.dim_IntList")
def mean(low: Lowering, call: Call) -> None:
    node, b, out = call.node, low.builder, call.output
    value, have = source(low, node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    wide = rescale(b, x, 1.0, DType.INT32, have.zero_point)
    axes = [order.index(one) for one in axes_of(argument(node, 1, "dim"), len(order))]
    total = reduce_all(b, "REDUCE_SUM", wide, axes)
    factor = have.scale / out.scale / (1 if "sum" in name_of(node) else count_of(node))
    small = limited(low, call, rescale(b, total, factor, DTYPES[out.dtype], 0, out.zero_point))
    _without_axes(low, call, small, order)


def _without_axes(low: Lowering, call: Call, x: Tensor, order: Order) -> None:
    shape = list(call.node.meta[meta_keys.VAL].shape)
    if len(shape) == len(order):
        low.set(call.result, x, order)
        return
    plain = low.form(low.made(x, order), plain_order(len(order)))
    low.set(call.result, low.builder.reshape(plain, shape))


@integer("aten.cumsum.default")
def cumsum(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    b, out = low.builder, call.output
    x = low.form(Value(value.shape, value.forms), plain_order(len(value.shape)))
    made = summed_up(b, x, call.node, b.constant([have.zero_point], x.dtype), accumulator_of(x))
    finish(low, call, rescale(b, made, have.scale / out.scale, DTYPES[out.dtype], 0, out.zero_point))


@integer("aten.amax.default", "aten.amin.default", "aten.max.default", "aten.min.default")
def amax(low: Lowering, call: Call) -> None:
    value, have = source(low, call.node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    op = "REDUCE_MAX" if "max" in name_of(call.node) else "REDUCE_MIN"
    axes = [order.index(one) for one in axes_of(argument(call.node, 1, "dim"), len(order))]
    made = reduce_all(low.builder, op, x, axes)
    _without_axes(low, call, same(low, made, have, call.output), order)


@integer("aten.upsample_nearest2d.vec", "aten.upsample_bilinear2d.vec")
def resize(low: Lowering, call: Call) -> None:
    """Bilinear: weights sum up to the product of the numerators; a rescale takes that back, and the zero point is as it was."""
    value, have = source(low, call.node.args[0])
    x = low.form(Value(value.shape, value.forms), channels_last(4))
    b = low.builder
    if "nearest" in name_of(call.node):
        made = resized(b, x, call.node, x.dtype)
    else:
        found = resize_of(call.node)
        assert not isinstance(found, str)
        wide = resized(b, x, call.node, accumulator_of(x))
        made = rescale(b, wide, 1.0 / (found.scale[0] * found.scale[2]), x.dtype)
    low.set(call.result, same(low, made, have, call.output), channels_last(4))
