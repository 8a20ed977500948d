"""Functions of single elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.apple.mps.graph.builder import GraphBuilder
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.transforms.operands import tensor
from executorch.ir.rewriter import arguments

#: Writes the nodes of a call down.
Lowering = Callable[[GraphBuilder, Node], None]


def operands(builder: GraphBuilder, node: Node) -> tuple[int, int]:
    """The two operands of a call; numbers become constants in the type of the other."""
    given = list(node.args[:2])
    dtype = next(tensor(one).dtype for one in given if isinstance(one, Node))
    first, second = (
        builder.value(one) if isinstance(one, Node) else builder.number(one, dtype)  # type: ignore[arg-type]
        for one in given
    )
    return first, second


def unary(kind: Any) -> Lowering:
    """A function of one operand."""

    def lower(builder: GraphBuilder, node: Node) -> None:
        builder.add(kind(builder.value(node.args[0]), output_id=builder.result(node)))

    return lower


def binary(kind: Any) -> Lowering:
    """A function of two operands that broadcast."""

    def lower(builder: GraphBuilder, node: Node) -> None:
        first, second = operands(builder, node)
        builder.add(kind(first, second, builder.result(node)))

    return lower


def with_alpha(kind: Any) -> Lowering:
    """A sum or difference, the second operand multiplied by a number."""

    def lower(builder: GraphBuilder, node: Node) -> None:
        alpha = float(arguments(node).get("alpha", 1))
        first, second = operands(builder, node)
        builder.add(kind(first, second, builder.result(node), alpha))

    return lower


def quotient(mode: str | None = None) -> Lowering:
    """A division, rounded or not."""

    def lower(builder: GraphBuilder, node: Node) -> None:
        rounding = arguments(node).get("rounding_mode", mode)
        first, second = operands(builder, node)
        builder.add(schema.MPSDiv(first, second, builder.result(node), rounding))

    return lower


def relu(builder: GraphBuilder, node: Node) -> None:
    source = builder.value(node.args[0])
    builder.add(schema.MPSReLU(source, source, builder.result(node)))


def hardtanh(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    source = builder.value(named["self"])
    low, high = float(named["min_val"]), float(named["max_val"])
    builder.add(schema.MPSHardTanh(source, builder.result(node), low, high))


def clamp(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    low = -math.inf if named["min"] is None else float(named["min"])
    high = math.inf if named["max"] is None else float(named["max"])
    source = builder.value(named["self"])
    builder.add(schema.MPSClamp(source, builder.result(node)), schema.MPSMinMax(low, high))


def gelu(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    source = builder.value(named["self"])
    builder.add(schema.MPSGELU(source, builder.result(node), named["approximate"]))


def leaky_relu(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    source = builder.value(named["self"])
    builder.add(schema.MPSLeakyReLU(source, builder.result(node), float(named["negative_slope"])))


def where(builder: GraphBuilder, node: Node) -> None:
    condition, first, second = (builder.value(one) for one in node.args)
    builder.add(schema.MPSWhere(condition, first, second, builder.result(node)))


def cast(builder: GraphBuilder, node: Node) -> None:
    """A copy in another type; one in the same is its source."""
    source: Any = node.args[0]
    dtype = tensor(node).dtype
    if builder.inside(tensor(source).dtype) == builder.inside(dtype):
        builder.alias(node, source)
    else:
        number = builder.value(source)
        builder.add(schema.MPSCast(number, builder.result(node), builder.datatype(dtype)))


def full(builder: GraphBuilder, node: Node) -> None:
    value, fill = tensor(node), float(arguments(node)["fill_value"])
    sizes = [int(one) for one in value.shape]
    builder.add(schema.MPSFull(0, builder.result(node), sizes, fill, builder.datatype(value.dtype)))


def full_like(builder: GraphBuilder, node: Node) -> None:
    fill = float(arguments(node)["fill_value"])
    source, dtype = builder.value(node.args[0]), builder.datatype(tensor(node).dtype)
    builder.add(schema.MPSFullLike(source, builder.result(node), [], fill, dtype))


def arange(builder: GraphBuilder, node: Node) -> None:
    named = arguments(node)
    start, end, step = float(named.get("start", 0)), float(named["end"]), float(named.get("step", 1))
    dtype: torch.dtype = tensor(node).dtype
    builder.add(schema.MPSArange(builder.result(node), start, end, step, builder.datatype(dtype)))
