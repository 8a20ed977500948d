"""Inverse functions of the circle and the hyperbola, from logarithms, roots and a series."""

from __future__ import annotations

import math

from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, Tensor
from executorch.backends.arm.tosa.operators.elementwise import unary


def _root(b: Builder, x: Tensor) -> Tensor:
    return b.binary("POW", x, b.scalar(0.5, x))


def _quotient(b: Builder, x: Tensor, y: Tensor) -> Tensor:
    return b.mul(x, b.unary("RECIPROCAL", y))


def _plus_one(b: Builder, x: Tensor) -> Tensor:
    return b.add(b.scalar(1.0, x), x)


def _one_minus(b: Builder, x: Tensor) -> Tensor:
    return b.sub(b.scalar(1.0, x), x)


def _with_sign(b: Builder, x: Tensor, made: Tensor) -> Tensor:
    return b.select(b.compare("GREATER", b.scalar(0.0, x), x), b.negate(made), made)


@unary("aten.asinh.default")
def asinh(b: Builder, x: Tensor, node: Node) -> Tensor:
    size = b.unary("ABS", x)
    less, more = b.minimum(size, b.scalar(1.0, x)), b.maximum(size, b.scalar(1.0, x))
    ratio = _quotient(b, less, more)
    hypotenuse = b.mul(more, _root(b, _plus_one(b, b.mul(ratio, ratio))))  # No square overflows.
    return _with_sign(b, x, b.unary("LOG", b.add(size, hypotenuse)))


@unary("aten.acosh.default")
def acosh(b: Builder, x: Tensor, node: Node) -> Tensor:
    root = b.mul(_root(b, b.sub(x, b.scalar(1.0, x))), _root(b, _plus_one(b, x)))
    return b.unary("LOG", b.add(x, root))


@unary("aten.atanh.default")
def atanh(b: Builder, x: Tensor, node: Node) -> Tensor:
    both = b.sub(b.unary("LOG", _plus_one(b, x)), b.unary("LOG", _one_minus(b, x)))
    return b.mul(both, b.scalar(0.5, x))


@unary("aten.atan.default")
def atan(b: Builder, x: Tensor, node: Node) -> Tensor:
    return _with_sign(b, x, _angle(b, b.unary("ABS", x)))


@unary("aten.asin.default")
def asin(b: Builder, x: Tensor, node: Node) -> Tensor:
    size = b.unary("ABS", x)
    other = b.mul(_root(b, _one_minus(b, size)), _root(b, _plus_one(b, size)))
    return _with_sign(b, x, _angle(b, _quotient(b, size, other)))


@unary("aten.acos.default")
def acos(b: Builder, x: Tensor, node: Node) -> Tensor:
    # Not by the quotient of 1 - x and 1 + x: POW takes finite numbers only.
    return b.sub(b.scalar(math.pi / 2, x), asin(b, x, node))


#: atan(t) = t - t**3 / 3 + ...; with t up to tan(pi / 8) the next term is below 2e-8.
_SERIES = [(-1) ** k / (2 * k + 1) for k in range(9)]


def _angle(b: Builder, x: Tensor) -> Tensor:
    """The angle whose tangent is ``x``, 0 or more: of the reciprocal above 1, and twice that of half the angle."""
    one = b.scalar(1.0, x)
    ratio = _quotient(b, b.minimum(x, one), b.maximum(x, one))
    t = _quotient(b, ratio, _plus_one(b, _root(b, _plus_one(b, b.mul(ratio, ratio)))))
    square = b.mul(t, t)
    made = b.scalar(_SERIES[-1], x)
    for factor in reversed(_SERIES[:-1]):
        made = b.add(b.mul(made, square), b.scalar(factor, x))
    angle = b.mul(b.mul(made, t), b.scalar(2.0, x))
    return b.select(b.compare("GREATER", x, one), b.sub(b.scalar(math.pi / 2, x), angle), angle)


__all__: list[str] = []
