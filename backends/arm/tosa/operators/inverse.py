"""Inverse functions of the circle and the hyperbola, from logarithms, roots and a series."""

from __future__ import annotations

import math

from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, Tensor
from executorch.backends.arm.tosa.operators.elementwise import unary


def root(b: Builder, x: Tensor) -> Tensor:
    return b.binary("POW", x, b.scalar(0.5, x))


def quotient(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.mul(x, b.unary("RECIPROCAL", y))


def plus_one(b: Builder, x: Tensor) -> Tensor:
    return b.add(b.scalar(1.0, x), x)


def _one_minus(b: Builder, x: Tensor) -> Tensor:
    return b.sub(b.scalar(1.0, x), x)


def _with_sign(b: Builder, x: Tensor, made: Tensor) -> Tensor:
    return b.select(b.compare("GREATER", b.scalar(0.0, x), x), b.negate(made), made)


@unary("aten.asinh.default")
def asinh(b: Builder, x: Tensor, node: Node) -> Tensor:
    size = b.unary("ABS", x)
    less, more = b.minimum(size, b.scalar(1.0, x)), b.maximum(size, b.scalar(1.0, x))
    ratio = quotient(b, less, more)
    hypotenuse = b.mul(more, root(b, plus_one(b, b.mul(ratio, ratio))))  # No square overflows.
    return _with_sign(b, x, b.unary("LOG", b.add(size, hypotenuse)))


@unary("aten.acosh.default")
def acosh(b: Builder, x: Tensor, node: Node) -> Tensor:
    both = b.mul(root(b, b.sub(x, b.scalar(1.0, x))), root(b, plus_one(b, x)))
    return b.unary("LOG", b.add(x, both))


@unary("aten.atanh.default")
def atanh(b: Builder, x: Tensor, node: Node) -> Tensor:
    both = b.sub(b.unary("LOG", plus_one(b, x)), b.unary("LOG", _one_minus(b, x)))
    return b.mul(both, b.scalar(0.5, x))


@unary("aten.atan.default")
def atan(b: Builder, x: Tensor, node: Node) -> Tensor:
    return _with_sign(b, x, _angle(b, b.unary("ABS", x)))


@unary("aten.asin.default")
def asin(b: Builder, x: Tensor, node: Node) -> Tensor:
    size = b.unary("ABS", x)
    other = b.mul(root(b, _one_minus(b, size)), root(b, plus_one(b, size)))
    return _with_sign(b, x, _angle(b, quotient(b, size, other)))


@unary("aten.acos.default")
def acos(b: Builder, x: Tensor, node: Node) -> Tensor:
    # Not by the quotient of 1 - x and 1 + x: POW takes finite numbers only.
    return b.sub(b.scalar(math.pi / 2, x), asin(b, x, node))


#: atan(t) = t - t**3 / 3 + ...; with t up to tan(pi / 8) the next term is below 2e-8.
_SERIES = [(-1) ** k / (2 * k + 1) for k in range(9)]


def _angle(b: Builder, x: Tensor) -> Tensor:
    """The angle whose tangent is ``x``, 0 or more: of the reciprocal above 1."""
    one = b.scalar(1.0, x)
    angle = angle_of(b, quotient(b, b.minimum(x, one), b.maximum(x, one)))
    return b.select(b.compare("GREATER", x, one), b.sub(b.scalar(math.pi / 2, x), angle), angle)


def angle_of(b: Builder, ratio: Tensor) -> Tensor:
    """The angle whose tangent is from 0 to 1: twice that of half the angle."""
    t = quotient(b, ratio, plus_one(b, root(b, plus_one(b, b.mul(ratio, ratio)))))
    square = b.mul(t, t)
    made = b.scalar(_SERIES[-1], ratio)
    for factor in reversed(_SERIES[:-1]):
        made = b.add(b.mul(made, square), b.scalar(factor, ratio))
    return b.mul(b.mul(made, t), b.scalar(2.0, ratio))


__all__ = ["angle_of", "plus_one", "quotient", "root"]
