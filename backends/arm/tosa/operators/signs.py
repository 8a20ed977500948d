"""Signs, and what asks for the signs of two numbers: angles of points."""

from __future__ import annotations

import math

from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import REALS, Builder, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering
from executorch.backends.arm.tosa.graph.registry import NUMBERS, plain
from executorch.backends.arm.tosa.operators.elementwise import elementwise, same_types, unary
from executorch.backends.arm.tosa.operators.inverse import angle_of, plus_one, quotient, root


def is_negative(b: Builder, x: Tensor) -> Tensor:
    """Whether numbers have a sign, which of two zeros the reciprocal tells; NaNs are told to have none."""
    zero = b.scalar(0, x)
    if x.dtype in REALS:
        x = b.select(b.compare("EQUAL", x, zero), b.unary("RECIPROCAL", x), x)
    return b.compare("GREATER", zero, x)


@unary("aten.signbit.default", dtypes=NUMBERS, conditions="false for NaN")
def signbit(b: Builder, x: Tensor, node: Node) -> Tensor:
    return is_negative(b, x)


@plain("aten.copysign.Tensor", refusals=(same_types,), conditions="a NaN has no sign to give")
def copysign(low: Lowering, node: Node) -> None:
    b = low.builder

    def signed(x: Tensor, y: Tensor) -> Tensor:
        size = b.unary("ABS", x)
        return b.select(is_negative(b, y), b.negate(size), size)

    elementwise(low, node, node.args[:2], signed)


@unary("aten.copysign.Scalar")
def copysign_of_number(b: Builder, x: Tensor, node: Node) -> Tensor:
    size = b.unary("ABS", x)
    return b.negate(size) if math.copysign(1.0, float(node.args[1])) < 0 else size  # type: ignore[arg-type]


def _less_and_more(b: Builder, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    sizes = b.unary("ABS", x), b.unary("ABS", y)
    return b.minimum(*sizes), b.maximum(*sizes)


def _ratio(b: Builder, less: Tensor, more: Tensor) -> Tensor:
    """Of sizes: 0 for zeros, 1 for what is equal, be it infinite."""
    one = b.scalar(1.0, more)
    safe = b.select(b.compare("EQUAL", more, b.scalar(0.0, more)), one, more)
    return b.select(b.compare("EQUAL", less, safe), one, quotient(b, less, safe))


@plain("aten.hypot.default", refusals=(same_types,))
def hypot(low: Lowering, node: Node) -> None:
    b = low.builder

    def length(x: Tensor, y: Tensor) -> Tensor:
        less, more = _less_and_more(b, x, y)
        ratio = _ratio(b, less, more)
        return b.mul(more, root(b, plus_one(b, b.mul(ratio, ratio))))  # No square overflows.

    elementwise(low, node, node.args[:2], length)


@plain("aten.atan2.default", refusals=(same_types,))
def atan2(low: Lowering, node: Node) -> None:
    """The angle in the first eighth, then turned to where the point is."""
    b = low.builder

    def angle(y: Tensor, x: Tensor) -> Tensor:
        found = angle_of(b, _ratio(b, *_less_and_more(b, x, y)))
        steep = b.compare("GREATER", b.unary("ABS", y), b.unary("ABS", x))
        found = b.select(steep, b.sub(b.scalar(math.pi / 2, found), found), found)
        found = b.select(is_negative(b, x), b.sub(b.scalar(math.pi, found), found), found)
        return b.select(is_negative(b, y), b.negate(found), found)

    elementwise(low, node, node.args[:2], angle)


__all__ = ["is_negative"]
