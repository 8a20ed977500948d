"""Quotients and remainders."""

from __future__ import annotations

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering
from executorch.backends.arm.tosa.graph.registry import NUMBERS, plain
from executorch.backends.arm.tosa.operators.elementwise import elementwise, same_types
from executorch.dialects import meta_keys


@plain("aten.div.Tensor", "aten.div.Scalar", refusals=(same_types,))
def div(low: Lowering, node: Node) -> None:
    b, given = low.builder, node.args[1]
    divisor = low.constants(given) if isinstance(given, Node) else torch.tensor(float(given))  # type: ignore[arg-type]
    if divisor is not None and divisor.is_floating_point():
        elementwise(low, node, [node.args[0]], lambda x: _times(low, node, x, divisor))
        return
    elementwise(low, node, node.args[:2], lambda x, y: b.mul(x, b.unary("RECIPROCAL", y)))


def _times(low: Lowering, node: Node, x: Tensor, divisor: torch.Tensor) -> Tensor:
    """By a constant: its reciprocal is calculated ahead of time, in double precision."""
    rank = len(x.shape)
    padded = divisor.double().reciprocal().reshape([1] * (rank - divisor.dim()) + list(divisor.shape))
    order = low.order_of([node.args[0]], rank)
    return low.builder.mul(x, low.builder.constant(padded.permute(order).float().numpy(), x.dtype))


def _at_least(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.compare("GREATER_EQUAL", x, y)


def _floor_of(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    """The whole quotient, rounded down.

    A product with a reciprocal may be just below a whole number (49 / 49): the remainder says so, and whether it is above.
    """
    zero, one = b.scalar(0, x), b.scalar(1, x)
    if x.dtype == DType.INT32:
        guess = b.emit("INTDIV", [x, y], b.add(x, y).shape, x.dtype)
    else:
        guess = b.unary("FLOOR", b.mul(x, b.unary("RECIPROCAL", y)))
    rest = b.sub(x, b.mul(guess, y))
    negative = b.compare("GREATER", zero, y)
    rest = b.select(negative, b.negate(rest), rest)
    lower = b.select(b.compare("GREATER", zero, rest), b.sub(guess, one), guess)
    return b.select(_at_least(b, rest, b.unary("ABS", y)), b.add(lower, one), lower)


def whole_quotient(b: Builder, x: Tensor, y: Tensor, mode: str) -> Tensor:
    """The quotient rounded down (``floor``), or towards zero (``trunc``)."""
    if mode == "floor":
        return _floor_of(b, x, y)
    size = _floor_of(b, b.unary("ABS", x), b.unary("ABS", y))
    zero = b.scalar(0, x)
    differs = b.binary("LOGICAL_XOR", *(b.compare("GREATER", zero, one) for one in (x, y)))
    return b.select(differs, b.negate(size), size)


def _true_of_floats(node: Node) -> str | None:
    real = all(one.meta[meta_keys.VAL].is_floating_point() for one in node.all_input_nodes)
    return (
        None
        if real or node.kwargs["rounding_mode"]
        else "a true quotient of integers; convert them (.float())"
    )


@plain("aten.div.Tensor_mode", "aten.div.Scalar_mode", dtypes=NUMBERS, refusals=(same_types, _true_of_floats))
def div_mode(low: Lowering, node: Node) -> None:
    if node.kwargs["rounding_mode"] is None:
        div(low, node)
        return
    mode = str(node.kwargs["rounding_mode"])
    elementwise(low, node, node.args[:2], lambda x, y: whole_quotient(low.builder, x, y, mode))


@plain(
    *[f"aten.{name}.{form}" for name in ("remainder", "fmod") for form in ("Tensor", "Scalar")],
    dtypes=NUMBERS,
    refusals=(same_types,),
)
def remainder(low: Lowering, node: Node) -> None:
    """What a whole quotient leaves: of the divisor's sign, or (``fmod``) of the dividend's."""
    b, mode = low.builder, "trunc" if "fmod" in str(node.target) else "floor"
    elementwise(low, node, node.args[:2], lambda x, y: b.sub(x, b.mul(whole_quotient(b, x, y, mode), y)))
