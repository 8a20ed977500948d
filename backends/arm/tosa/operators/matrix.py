"""Matrix products in floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering
from executorch.backends.arm.tosa.graph.narrow import sums_in
from executorch.backends.arm.tosa.graph.registry import BYTES, FLOATS, plain
from executorch.dialects import meta_keys


def product(low: Lowering, a: Tensor, b: Tensor) -> Tensor:
    """Of two batches of matrices."""
    zero = low.builder.constant([0], a.dtype)
    shape = [a.shape[0], a.shape[1], b.shape[2]]
    made = low.builder.emit("MATMUL", [a, b, zero, zero], shape, sums_in(a.dtype))
    return low.builder.cast(made, a.dtype)


@plain("aten.bmm.default", dtypes=(*FLOATS, *BYTES))
def bmm(low: Lowering, node: Node) -> None:
    low.set(node, product(low, low.tensor(node.args[0]), low.tensor(node.args[1])))


@plain("aten.mm.default", dtypes=(*FLOATS, *BYTES))
def mm(low: Lowering, node: Node) -> None:
    low.set(node, _flat(low, node.args[0], node.args[1]))


def _flat(low: Lowering, a: Any, b: Any) -> Tensor:
    build = low.builder
    left, right = low.tensor(a), low.tensor(b)
    made = product(low, build.reshape(left, [1, *left.shape]), build.reshape(right, [1, *right.shape]))
    return build.reshape(made, made.shape[1:])


@plain("aten.addmm.default")
def addmm(low: Lowering, node: Node) -> None:
    b = low.builder
    made = _flat(low, node.args[1], node.args[2])
    summand = low.operand(node.args[0], (0, 1), made.dtype)
    alpha, beta = node.kwargs.get("alpha", 1), node.kwargs.get("beta", 1)
    made = made if alpha == 1 else b.mul(made, b.scalar(alpha, made))
    summand = summand if beta == 1 else b.mul(summand, b.scalar(beta, summand))
    low.set(node, b.add(made, summand))


@plain("aten.linear.default", keeps_whole=True)
def linear(low: Lowering, node: Node) -> None:
    """A 1x1 convolution where the weight is constant, whose bias TOSA adds itself; a product otherwise."""
    b = low.builder
    order, x = low.rows(low.dequantized(low.value(node.args[0])))
    weight = low.constants(node.args[1])  # type: ignore[arg-type]
    bias = node.args[2] if len(node.args) > 2 else None
    rows = math.prod(x.shape[:-1])
    if weight is None:
        right = b.transpose(low.tensor(node.args[1]), [1, 0])
        made = product(low, b.reshape(x, [1, rows, x.shape[-1]]), b.reshape(right, [1, *right.shape]))
        made = b.reshape(made, [*x.shape[:-1], made.shape[-1]])
        rank = len(made.shape)
        made = made if bias is None else b.add(made, low.operand(bias, tuple(range(rank)), made.dtype))
        low.set(node, made, order)
        return
    outputs = weight.shape[0]
    zero = b.constant([0], x.dtype)
    filters = b.constant(weight.float().numpy().reshape(outputs, 1, 1, -1), x.dtype)
    summand = np.zeros(outputs) if bias is None else None
    added = b.constant(summand, x.dtype) if summand is not None else low.tensor(bias)
    flat = b.reshape(x, [1, rows, 1, x.shape[-1]])
    made = b.emit(
        "CONV2D",
        [flat, filters, added, zero, zero],
        [1, rows, 1, outputs],
        x.dtype,
        [0, 0, 0, 0],
        [1, 1],
        [1, 1],
        False,
        sums_in(x.dtype),
    )
    low.set(node, b.reshape(made, [*x.shape[:-1], outputs]), order)


@plain("aten.matmul.default", keeps_whole=True, refusals=(lambda node: _batches(node),))
def matmul(low: Lowering, node: Node) -> None:
    """Batches of matrices; dimensions before the last two are one."""
    made = batched(
        low, low.tensor(node.args[0]), low.tensor(node.args[1]), node, lambda a, b: product(low, a, b)
    )
    low.set(node, made)


def _batches(node: Node) -> str | None:
    ranks = [one.meta[meta_keys.VAL].dim() for one in node.args]  # type: ignore[union-attr]
    return "a vector as operand; unsqueeze it" if min(ranks) < 2 else None


def batched(
    low: Lowering, a: Tensor, b: Tensor, node: Node, multiply: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    """``multiply`` of two batches of equal length, made of operands of any."""
    shape = list(node.meta[meta_keys.VAL].shape)
    before = shape[:-2]
    count = math.prod(before)
    made = multiply(*[_as_batch(low, one, before, count) for one in (a, b)])
    return low.builder.reshape(made, shape)


def _as_batch(low: Lowering, x: Tensor, before: list[int], count: int) -> Tensor:
    build = low.builder
    wide = build.reshape(x, [1] * (len(before) + 2 - len(x.shape)) + list(x.shape))
    full = build.tile(wide, [*(a // c for a, c in zip(before, wide.shape[:-2], strict=True)), 1, 1])
    return build.reshape(full, [count, *full.shape[-2:]])
