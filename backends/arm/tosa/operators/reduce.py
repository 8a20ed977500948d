"""Reductions, norms and softmax in floating point."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, PROPAGATE, REALS, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering, Value
from executorch.backends.arm.tosa.graph.registry import FLOATS, NUMBERS, plain
from executorch.backends.arm.tosa.operators.elementwise import argument
from executorch.backends.arm.tosa.operators.shape import part
from executorch.dialects import meta_keys
from executorch.ir.values import sizes_of


def axes_of(given: Any, rank: int) -> list[int]:
    """Dimensions that an operator names; none or an empty list stand for all."""
    if given is None or given == [] or rank == 0:
        return list(range(rank))
    return sorted({one % rank for one in ([given] if isinstance(given, int) else given)})


def reduce_all(b: Builder, op: str, x: Tensor, axes: list[int]) -> Tensor:
    """Along several axes, which stay with size 1."""
    for axis in axes:
        x = b.reduce(op, x, axis)
    return x


def _finish(low: Lowering, node: Node, x: Tensor, order: tuple[int, ...]) -> None:
    """With the reduced dimensions or without, as the node says."""
    shape = sizes_of(node)
    if len(shape) == len(order):
        low.set(node, x, order)
        return
    # Dimensions that are 1 now do not depend on the order; what is left has to be in PyTorch's.
    if [order[i] for i, size in enumerate(x.shape) if size != 1] != sorted(
        order[i] for i, size in enumerate(x.shape) if size != 1
    ):
        x = low.builder.transpose(x, [order.index(i) for i in range(len(order))])
    low.set(node, low.builder.reshape(x, shape))


def _reduced(low: Lowering, node: Node, op: str, factor: float | None = None) -> None:
    value = low.dequantized(low.value(node.args[0]))
    order, x = low.native(value)
    axes = [order.index(one) for one in axes_of(argument(node, 1, "dim"), len(order))]
    made = reduce_all(low.builder, op, x, axes)
    if factor is not None:
        made = low.builder.mul(made, low.builder.scalar(factor, made))
    _finish(low, node, made, order)


def count_of(node: Node) -> int:
    """How many elements go into one of the result."""
    source: torch.Tensor = node.args[0].meta[meta_keys.VAL]  # type: ignore[union-attr]
    return math.prod(source.shape[one] for one in axes_of(argument(node, 1, "dim"), source.dim()))


def _keeps_type(node: Node) -> str | None:
    source, made = node.args[0].meta[meta_keys.VAL].dtype, node.meta[meta_keys.VAL]  # type: ignore[union-attr]
    first = made[0] if isinstance(made, tuple | list) else made
    return (
        None
        if first.dtype == source
        else f"result of type {first.dtype} from {source}; convert before or after"
    )


@plain("aten.sum.dim_IntList", dtypes=NUMBERS, refusals=(_keeps_type,))
def total(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_SUM")


@plain("aten.mean.dim", "aten.mean.default", refusals=(_keeps_type,))
def mean(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_SUM", 1.0 / count_of(node))


@plain("aten.amax.default", "aten.max.default", dtypes=NUMBERS)
def amax(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_MAX")


@plain("aten.amin.default", "aten.min.default", dtypes=NUMBERS)
def amin(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_MIN")


@plain("aten.prod.dim_int", "aten.prod.default", refusals=(_keeps_type,))
def product(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_PRODUCT")


@plain("aten.any.default", "aten.any.dim", "aten.any.dims", dtypes=(torch.bool,))
def any_of(low: Lowering, node: Node) -> None:
    _reduced(low, node, "REDUCE_ANY")


def variance(low: Lowering, x: Tensor, axes: list[int], correction: float) -> tuple[Tensor, Tensor]:
    """Differences from the mean, and the mean of their squares."""
    b = low.builder
    count = math.prod(x.shape[one] for one in axes)
    mean = reduce_all(b, "REDUCE_SUM", x, axes)
    centred = b.sub(x, b.mul(mean, b.scalar(1.0 / count, mean)))
    squares = reduce_all(b, "REDUCE_SUM", b.mul(centred, centred), axes)
    return centred, b.mul(
        squares, b.scalar(1.0 / max(count - correction, 0) if count > correction else math.inf, squares)
    )


@plain("aten.var.correction")
def var(low: Lowering, node: Node) -> None:
    value = low.dequantized(low.value(node.args[0]))
    order, x = low.native(value)
    axes = [order.index(one) for one in axes_of(argument(node, 1, "dim"), len(order))]
    given = node.kwargs.get("correction", 1)
    correction = 1.0 if given is None else float(given)  # type: ignore[arg-type]
    _finish(low, node, variance(low, x, axes, correction)[1], order)


@plain("aten._softmax.default", "aten._log_softmax.default")
def softmax(low: Lowering, node: Node) -> None:
    b = low.builder
    order, x = low.native(low.dequantized(low.value(node.args[0])))
    axis = order.index(int(node.args[1]) % len(order))  # type: ignore[arg-type, call-overload]
    shifted = b.sub(x, b.reduce("REDUCE_MAX", x, axis))
    exponents = b.unary("EXP", shifted)
    total = b.reduce("REDUCE_SUM", exponents, axis)
    if "_log_softmax" in str(node.target):
        low.set(node, b.sub(shifted, b.unary("LOG", total)), order)
    else:
        low.set(node, b.mul(exponents, b.unary("RECIPROCAL", total)), order)


def _only_first(node: Node) -> str | None:
    used = [user for user in node.users if user.args[1:] != (0,) and user.users]
    return "mean and deviation of a norm are read, which only training needs" if used else None


def _normalized(b: Builder, centred: Tensor, variance: Tensor, epsilon: float) -> Tensor:
    return b.mul(centred, b.unary("RSQRT", b.add(variance, b.scalar(epsilon, variance))))


@plain("aten.native_layer_norm.default", refusals=(_only_first,))
def layer_norm(low: Lowering, node: Node) -> None:
    b = low.builder
    x = low.tensor(node.args[0])
    rank = len(x.shape)
    axes = list(range(rank - len(node.args[1]), rank))  # type: ignore[arg-type]
    centred, spread = variance(low, x, axes, 0)
    made = _normalized(b, centred, spread, float(node.args[4]))  # type: ignore[arg-type]
    _affine(low, node, made, node.args[2], node.args[3], tuple(range(rank)))


def _affine(low: Lowering, node: Node, x: Tensor, weight: Any, bias: Any, order: tuple[int, ...]) -> None:
    b = low.builder
    if weight is not None:
        x = b.mul(x, low.operand(weight, order, x.dtype))
    if bias is not None:
        x = b.add(x, low.operand(bias, order, x.dtype))
    low.values[node] = [low.made(x, order)]


@plain("aten.native_group_norm.default", refusals=(_only_first,))
def group_norm(low: Lowering, node: Node) -> None:
    b = low.builder
    x = low.tensor(node.args[0])
    groups, epsilon = int(node.args[6]), float(node.args[7])  # type: ignore[call-overload, arg-type]
    n, channels = x.shape[:2]
    flat = b.reshape(x, [n, groups, math.prod(x.shape[1:]) // groups])
    centred, spread = variance(low, flat, [2], 0)
    made = b.reshape(_normalized(b, centred, spread, epsilon), x.shape)
    wide = [1, channels, *[1] * (len(x.shape) - 2)]
    for op, given in (("mul", node.args[1]), ("add", node.args[2])):
        if given is not None:
            made = getattr(b, op)(made, b.reshape(low.tensor(given), wide))
    low.values[node] = [low.made(made)]


def _statistics_are_constant(node: Node) -> str | None:
    if any(one.op != "placeholder" for one in node.all_input_nodes[1:]):
        return "statistics that are calculated; call eval() on the model before export"
    return _only_first(node)


@plain("aten._native_batch_norm_legit_no_training.default", refusals=(_statistics_are_constant,))
def batch_norm(low: Lowering, node: Node) -> None:
    """One product and one sum: factors are made ahead of time, in double precision."""
    order, x = low.native(low.dequantized(low.value(node.args[0])))
    weight, bias, mean, var = (None if one is None else low.constants(one) for one in node.args[1:5])  # type: ignore[arg-type]
    assert mean is not None and var is not None
    factor = (var.double() + float(node.args[6])).rsqrt()  # type: ignore[arg-type]
    factor = factor if weight is None else factor * weight.double()
    summand = -mean.double() * factor
    summand = summand if bias is None else summand + bias.double()
    wide = [1] * len(order)
    wide[order.index(1)] = -1
    b = low.builder
    scale, offset = (b.constant(one.reshape(wide).float().numpy(), x.dtype) for one in (factor, summand))
    low.values[node] = [low.made(b.add(b.mul(x, scale), offset), order)]


@plain("aten._native_batch_norm_legit.no_stats", refusals=(_only_first,))
def batch_norm_of_itself(low: Lowering, node: Node) -> None:
    """Mean and variance are those of the batch, as instance norms have them."""
    b = low.builder
    order, x = low.native(low.dequantized(low.value(node.args[0])))
    axes = [i for i in range(len(order)) if order[i] != 1]
    made = _normalized(b, *variance(low, x, axes, 0), float(node.args[5]))  # type: ignore[arg-type]
    wide = [x.shape[i] if order[i] == 1 else 1 for i in range(len(order))]
    for op, given in (("mul", node.args[1]), ("add", node.args[2])):
        if given is not None:
            made = getattr(b, op)(made, b.reshape(low.tensor(given), wide))
    low.values[node] = [low.made(made, order)]


@plain(
    "aten.argmax.default",
    "aten.argmin.default",
    dtypes=(*FLOATS, torch.int8),
    conditions="the index converted to int32; integers: profile INT",
    needs_int=True,
)
def argmax(low: Lowering, node: Node) -> None:
    low.set(node, index_of(low.builder, low.tensor(node.args[0]), node))


def index_of(b: Builder, x: Tensor, node: Node) -> Tensor:
    """Where the largest or the smallest element is, in PyTorch's order of dimensions."""
    axis = argument(node, 1, "dim")
    if axis is None:
        x, axis = b.reshape(x, [math.prod(x.shape)]), 0
    axis %= len(x.shape)
    if "argmin" in str(node.target):
        # The least integer has no negative.
        x = b.negate(x) if x.dtype in REALS else b.unary("BITWISE_NOT", x)
    shape = [size for i, size in enumerate(x.shape) if i != axis]
    found = b.emit("ARGMAX", [x], shape, DType.INT32, axis, PROPAGATE)
    return b.reshape(found, sizes_of(node))


@plain("aten.max.dim", "aten.min.dim", refusals=(lambda node: _values_only(node),))
def max_dim(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0])
    axis = int(node.args[1]) % len(x.shape)  # type: ignore[arg-type, call-overload]
    made = low.builder.reduce("REDUCE_MIN" if "min.dim" in str(node.target) else "REDUCE_MAX", x, axis)
    low.values[node] = [low.made(low.builder.reshape(made, node.meta[meta_keys.VAL][0].shape))]


def _values_only(node: Node) -> str | None:
    read = [user for user in node.users if user.args[1:] != (0,)]
    return (
        "indices of the extreme are int64, which TOSA 1.0 has not; use amax, or argmax(...).int()"
        if read
        else None
    )


@plain("aten.cumsum.default", refusals=(_keeps_type,))
def cumsum(low: Lowering, node: Node) -> None:
    zero = low.builder.constant([0], DTYPES[node.meta[meta_keys.VAL].dtype])
    low.set(node, summed_up(low.builder, low.tensor(node.args[0]), node, zero, zero.dtype))


@plain("aten.cumprod.default", refusals=(_keeps_type,))
def cumprod(low: Lowering, node: Node) -> None:
    """Each times what is one before it, then two, four and so on: that is all of them."""
    b, x = low.builder, low.tensor(node.args[0])
    axis, step = int(node.args[1]) % max(len(x.shape), 1), 1  # type: ignore[call-overload, arg-type]
    while x.shape and step < x.shape[axis]:
        widths = [(step if i == axis else 0, 0) for i in range(len(x.shape))]
        x = b.mul(x, b.pad(part(b, x, axis, 0, x.shape[axis] - step), widths, 1.0))
        step *= 2
    low.set(node, x)


#: Elements of triangles, one for each of what lies before the axis, for which nothing is transposed.
_MOST_TRIANGLES = 1 << 14


def summed_up(b: Builder, x: Tensor, node: Node, zero: Tensor, dtype: Any) -> Tensor:
    """A product with a triangle of ones, which sums up what is before and at a place. ``dtype`` is that of the sums."""
    rank = len(x.shape)
    axis = int(node.args[1]) % max(rank, 1)  # type: ignore[arg-type, call-overload]
    size = x.shape[axis] if rank else 1
    before = math.prod(x.shape[:axis])
    if axis < rank - 1 and before * size**2 <= _MOST_TRIANGLES:
        below = np.broadcast_to(np.tril(np.ones((size, size))), (before, size, size))
        flat = b.reshape(x, [before, size, math.prod(x.shape[axis + 1 :])])
        operands = [b.constant(below, x.dtype), flat, b.constant([0], x.dtype), zero]
        return b.reshape(b.emit("MATMUL", operands, flat.shape, dtype), x.shape)
    order = [*(i for i in range(rank) if i != axis), axis]
    last = b.transpose(x, order)
    rows = math.prod(last.shape) // size
    ones = b.constant(np.triu(np.ones((1, size, size))), x.dtype)
    flat = b.reshape(last, [1, rows, size])
    made = b.emit("MATMUL", [flat, ones, zero, b.constant([0], x.dtype)], [1, rows, size], dtype)
    return b.transpose(b.reshape(made, last.shape), [order.index(i) for i in range(rank)])


__all__ = ["Value", "axes_of", "count_of", "reduce_all"]
