"""Functions without an operator of their own, to the precision of float32."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, Tensor
from executorch.backends.arm.tosa.operators.elementwise import argument, unary


@unary("aten.expm1.default")
def expm1(b: Builder, x: Tensor, node: Node) -> Tensor:
    """Near zero by the hyperbolic tangent of the half, which loses no digits there."""
    half = b.unary("TANH", b.mul(x, b.scalar(0.5, x)))
    small = b.mul(b.add(half, half), b.unary("RECIPROCAL", b.sub(b.scalar(1.0, x), half)))
    large = b.sub(b.unary("EXP", x), b.scalar(1.0, x))
    return b.select(b.compare("GREATER", b.unary("ABS", x), b.scalar(0.5, x)), large, small)


@unary("aten.exp2.default")
def exp2(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.binary("POW", b.scalar(2.0, x), x)


@unary("aten.log_sigmoid.default", keeps_whole=True)
def log_sigmoid(b: Builder, x: Tensor, node: Node) -> Tensor:
    """``min(x, 0) - log(1 + exp(-|x|))``, which no large argument overflows."""
    small = b.unary("EXP", b.negate(b.unary("ABS", x)))
    return b.sub(b.clamp(x, -math.inf, 0.0), b.unary("LOG", b.add(b.scalar(1.0, x), small)))


#: W. Press and others, Numerical Recipes, section 6.2: the exponent of erfc but for x * x, in t = 1 / (1 + x / 2).
_ERFC = (
    0.17087277,
    -0.82215223,
    1.48851587,
    -1.13520398,
    0.27886807,
    -0.18628806,
    0.09678418,
    0.37409196,
    1.00002368,
    -1.26551223,
)


@unary("aten.erfc.default")
def erfc(b: Builder, x: Tensor, node: Node) -> Tensor:
    """Not one less the error function: far from zero that has no digits left."""
    one, size = b.scalar(1.0, x), b.unary("ABS", x)
    t = b.unary("RECIPROCAL", b.add(one, b.mul(size, b.scalar(0.5, x))))
    above = b.mul(t, b.unary("EXP", b.sub(_polynomial(b, t, _ERFC), b.mul(x, x))))
    return b.select(b.compare("GREATER", b.scalar(0.0, x), x), b.sub(b.scalar(2.0, x), above), above)


@unary("aten.logit.default", keeps_whole=True)
def logit(b: Builder, x: Tensor, node: Node) -> Tensor:
    epsilon = argument(node, 1, "eps")
    if epsilon is not None:
        x = b.clamp(x, float(epsilon), 1.0 - float(epsilon))
    return b.sub(b.unary("LOG", x), b.unary("LOG", b.sub(b.scalar(1.0, x), x)))


#: M. Giles, Approximating the erfinv function: polynomials in w - 2.5 for w below 5, in the root of w - 3 above.
_CENTRE = (
    2.81022636e-08,
    3.43273939e-07,
    -3.5233877e-06,
    -4.39150654e-06,
    0.00021858087,
    -0.00125372503,
    -0.00417768164,
    0.246640727,
    1.50140941,
)
_TAIL = (
    -0.000200214257,
    0.000100950558,
    0.00134934322,
    -0.00367342844,
    0.00573950773,
    -0.0076224613,
    0.00943887047,
    1.00167406,
    2.83297682,
)
#: Above what any float32 below 1 has.
_MOST = 20.0


def _polynomial(b: Builder, x: Tensor, factors: Sequence[float]) -> Tensor:
    made = b.scalar(factors[0], x)
    for factor in factors[1:]:
        made = b.add(b.mul(made, x), b.scalar(factor, x))
    return made


@unary("aten.erfinv.default", keeps_whole=True)
def erfinv(b: Builder, x: Tensor, node: Node) -> Tensor:
    one = b.scalar(1.0, x)
    w = b.negate(b.unary("LOG", b.mul(b.sub(one, x), b.add(one, x))))
    w = b.minimum(w, b.scalar(_MOST, x))
    centre = _polynomial(b, b.sub(w, b.scalar(2.5, w)), _CENTRE)
    root = b.binary("POW", b.maximum(w, b.scalar(1.0, w)), b.scalar(0.5, w))
    tail = _polynomial(b, b.sub(root, b.scalar(3.0, w)), _TAIL)
    made = b.mul(b.select(b.compare("GREATER", b.scalar(5.0, w), w), centre, tail), x)
    ends = b.compare("EQUAL", b.unary("ABS", x), one)
    return b.select(ends, b.mul(x, b.scalar(math.inf, x)), made)
