"""Choices on quantized values: which is largest, which is larger, one or the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, DType, Tensor
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.graph.lowering import Lowering, Value, plain_order
from executorch.backends.arm.tosa.graph.quantized import Call
from executorch.backends.arm.tosa.graph.registry import integer
from executorch.backends.arm.tosa.graph.rescale import rescale
from executorch.backends.arm.tosa.operators.elementwise import COMPARISONS, compared
from executorch.backends.arm.tosa.operators.indexing import picked, put, scattered
from executorch.backends.arm.tosa.operators.integer import HEADROOM, finish, operands, same, source
from executorch.backends.arm.tosa.operators.reduce import index_of
from executorch.dialects import meta_keys


@integer("aten.argmax.default", "aten.argmin.default")
def argmax(low: Lowering, call: Call) -> None:
    value, _ = source(low, call.node.args[0])
    x = low.form(Value(value.shape, value.forms), plain_order(len(value.shape)))
    low.set(call.result, index_of(low.builder, x, call.node))


@integer(*COMPARISONS)
def compare(low: Lowering, call: Call) -> None:
    """Operands of one scale as they are, others in one that is finer than either."""
    node, b = call.node, low.builder
    number = _number(low, node.args[1])
    if number is not None:
        _compare_with(low, call, number)
        return
    order, found = operands(low, node.args[:2], node.meta[meta_keys.VAL].dim())
    (x, first), (y, second) = found
    if (first.scale, first.zero_point) == (second.scale, second.zero_point):
        wide = [rescale(b, one, 1.0, DType.INT32) for one in (x, y)]
    else:
        common = 2 * max(first.scale, second.scale)
        bits = min(HEADROOM[one.dtype] for one in (first, second))
        wide = [
            rescale(b, one, quant.scale / common * 2.0**bits, DType.INT32, quant.zero_point)
            for one, quant in found
        ]
    low.set(call.result, compared(b, node, *wide), order)


def _number(low: Lowering, given: Any) -> float | None:
    """A number, or a constant of one element."""
    if not isinstance(given, Node):
        return float(given)
    constant = low.constants(given)
    return float(constant) if constant is not None and constant.numel() == 1 else None


def _compare_with(low: Lowering, call: Call, number: float) -> None:
    """What the comparison says of each integer is known: it changes at one of them, or is true for one."""
    node, b = call.node, low.builder
    value, have = source(low, node.args[0])
    order, x = low.native(Value(value.shape, value.forms))
    least, most = have.limits
    integers = torch.arange(least, most + 1)
    reals = (integers - have.zero_point).float() * np.float32(have.scale).item()
    kind = name_of(node).split(".")[1]
    truths = getattr(torch, kind)(reals, number)
    inverted = kind in ("ne", "lt", "le")
    hits = integers[truths != inverted]
    # Behind all integers where there is none.
    first = int(hits[0]) if len(hits) else most + 1
    wide = rescale(b, x, 1.0, DType.INT32)
    op = "EQUAL" if kind in ("eq", "ne") else "GREATER_EQUAL"
    found = b.compare(op, wide, b.scalar(first, wide))
    low.set(call.result, b.unary("LOGICAL_NOT", found) if inverted else found, order)


@integer("aten.where.self")
def choose(low: Lowering, call: Call) -> None:
    node, out = call.node, call.output
    order, found = operands(low, node.args[1:3], node.meta[meta_keys.VAL].dim())
    condition = low.operand(node.args[0], order, DType.BOOL)
    x, y = (same(low, one, quant, out) for one, quant in found)
    finish(low, call, low.builder.select(condition, x, y), order)


@integer("aten.embedding.default", "aten.gather.default", "aten.index.Tensor", "aten.index_select.default")
def pick(low: Lowering, call: Call) -> None:
    """Integers are picked as they are; a table may be a constant."""
    value, have = source(low, call.node.args[0])
    x = low.form(Value(value.shape, value.forms, value.constant), plain_order(len(value.shape)))
    low.set(call.result, same(low, picked(low, call.node, x), have, call.output))


@integer("aten.index_put.default")
def scatter(low: Lowering, call: Call) -> None:
    """Integers are put as they are; sums are made of 32 bits."""
    b, out = low.builder, call.output
    found = [source(low, call.node.args[place]) for place in (0, 2)]
    x, values = (
        same(low, low.form(Value(one.shape, one.forms, one.constant), plain_order(len(one.shape))), have, out)
        for one, have in found
    )

    def add(table: Tensor, which: Tensor, rows: Tensor) -> Tensor:
        zeros = [b.constant([zero], rows.dtype) for zero in (0, out.zero_point)]
        sums = b.emit("MATMUL", [which, rows, *zeros], table.shape, DType.INT32)
        total = b.add(rescale(b, table, 1.0, DType.INT32, out.zero_point), sums)
        return rescale(b, total, 1.0, DTYPES[out.dtype], 0, out.zero_point)

    finish(low, call, put(low, call.node, x, values, add))


@integer("aten.scatter.src", "aten.scatter.value")
def scatter_along(low: Lowering, call: Call) -> None:
    """Integers are put as they are, along one dimension."""
    out, (target, _, _, given) = call.output, call.node.args[:4]
    found = [source(low, one) for one in (target, given)]
    x, values = (
        same(low, low.form(Value(one.shape, one.forms, one.constant), plain_order(len(one.shape))), have, out)
        for one, have in found
    )
    values = low.builder.reshape(values, [1] * (len(x.shape) - len(values.shape)) + list(values.shape))
    finish(low, call, scattered(low, call.node, x, values))
