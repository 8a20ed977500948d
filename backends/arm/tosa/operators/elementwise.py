"""Arithmetic, comparisons and activations, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, IGNORE, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering
from executorch.backends.arm.tosa.graph.registry import FLOATS, NUMBERS, plain
from executorch.dialects import meta_keys

Function = Callable[..., Tensor]


def argument(node: Node, index: int, name: str, default: Any = None) -> Any:
    """An argument by place or by name."""
    return node.args[index] if len(node.args) > index else node.kwargs.get(name, default)


def elementwise(low: Lowering, node: Node, operands: Sequence[Any], function: Function) -> None:
    """``function`` of operands brought to the result's rank, to one order and one type."""
    value: torch.Tensor = node.meta[meta_keys.VAL]
    order = low.order_of(operands, value.dim())
    typed = [one.meta[meta_keys.VAL].dtype for one in operands if isinstance(one, Node)]
    dtype = DTYPES.get(_common(typed)) if typed else DTYPES[value.dtype]
    made = function(*[low.operand(one, order, dtype) for one in operands])
    full = tuple(value.shape[one] for one in order)
    if made.shape != full:
        made = low.builder.tile(made, [a // b for a, b in zip(full, made.shape, strict=True)])
    low.set(node, made, order)


def _common(types: Sequence[torch.dtype]) -> torch.dtype:
    found = types[0]
    for one in types[1:]:
        found = torch.promote_types(found, one)
    return torch.int32 if found is torch.int64 else found


def same_types(node: Node) -> str | None:
    """TOSA promotes no types; constants are converted, so that only what is calculated counts."""
    kinds = {
        one.meta[meta_keys.VAL].dtype
        for one in node.all_input_nodes
        if isinstance(one.meta.get(meta_keys.VAL), torch.Tensor) and one.op != "placeholder"
    }
    if len(kinds - {torch.int64}) > 1:
        return f"operands of types {sorted(map(str, kinds))}; TOSA promotes none, convert them first (.to)"
    return None


def _alpha_is_whole(node: Node) -> str | None:
    value = node.meta[meta_keys.VAL]
    alpha = argument(node, 2, "alpha", 1)
    if not value.is_floating_point() and alpha != 1:
        return "alpha of an integer sum is not 1; multiply before it"
    return None


@plain("aten.add.Tensor", "aten.add.Scalar", dtypes=NUMBERS, refusals=(same_types, _alpha_is_whole))
def add(low: Lowering, node: Node) -> None:
    _sum(low, node, low.builder.add)


@plain("aten.sub.Tensor", "aten.sub.Scalar", dtypes=NUMBERS, refusals=(same_types, _alpha_is_whole))
def sub(low: Lowering, node: Node) -> None:
    _sum(low, node, low.builder.sub)


def _sum(low: Lowering, node: Node, function: Function) -> None:
    alpha = argument(node, 2, "alpha", 1)
    b = low.builder
    scaled: Function = function if alpha == 1 else lambda x, y: function(x, b.mul(y, b.scalar(alpha, y)))
    elementwise(low, node, node.args[:2], scaled)


@plain("aten.mul.Tensor", dtypes=(*NUMBERS, torch.bool), refusals=(same_types,))
@plain("aten.mul.Scalar", dtypes=NUMBERS, refusals=(same_types,))
def mul(low: Lowering, node: Node) -> None:
    """Of truths: both."""
    b = low.builder
    both = node.meta[meta_keys.VAL].dtype is torch.bool
    elementwise(low, node, node.args[:2], (lambda x, y: b.binary("LOGICAL_AND", x, y)) if both else b.mul)


@plain("aten.maximum.default", dtypes=NUMBERS, refusals=(same_types,))
def maximum(low: Lowering, node: Node) -> None:
    elementwise(low, node, node.args[:2], low.builder.maximum)


@plain("aten.minimum.default", dtypes=NUMBERS, refusals=(same_types,))
def minimum(low: Lowering, node: Node) -> None:
    elementwise(low, node, node.args[:2], low.builder.minimum)


@plain("aten.fmax.default", "aten.fmin.default", refusals=(same_types,))
def extreme_number(low: Lowering, node: Node) -> None:
    """Of a NaN and a number, the number."""
    op = "MAXIMUM" if "fmax" in str(node.target) else "MINIMUM"
    elementwise(low, node, node.args[:2], lambda x, y: low.builder.binary(op, x, y, IGNORE))


@plain("aten.clamp.Tensor", dtypes=NUMBERS, refusals=(same_types,))
def clamp_between(low: Lowering, node: Node) -> None:
    """Limits are tensors; where the lower one is above, the upper one counts."""
    b = low.builder
    least, most = argument(node, 1, "min"), argument(node, 2, "max")
    limits = [one for one in (least, most) if one is not None]

    def limited(x: Tensor, *found: Tensor) -> Tensor:
        above = x if least is None else b.maximum(x, found[0])
        return above if most is None else b.minimum(above, found[-1])

    elementwise(low, node, [node.args[0], *limits], limited)


@plain("aten.pow.Tensor_Tensor", refusals=(same_types,))
def pow_tensor(low: Lowering, node: Node) -> None:
    elementwise(low, node, node.args[:2], lambda x, y: low.builder.binary("POW", x, y))


def _base_is_positive(node: Node) -> str | None:
    positive = float(node.args[0]) > 0  # type: ignore[arg-type]
    return None if positive else "a base that is not positive, of which TOSA has no powers"


@plain("aten.pow.Scalar", refusals=(_base_is_positive,), conditions="a positive base")
def pow_of_number(low: Lowering, node: Node) -> None:
    b, base = low.builder, float(node.args[0])  # type: ignore[arg-type]
    elementwise(low, node, node.args[1:2], lambda x: b.binary("POW", b.scalar(base, x), x))


@plain(
    "aten.pow.Tensor_Scalar",
    refusals=(),
    conditions="exponents 0.5, -0.5, and whole ones from -4 to 4 for any base",
)
def pow_scalar(low: Lowering, node: Node) -> None:
    elementwise(low, node, node.args[:1], lambda x: power(low.builder, x, float(node.args[1])))  # type: ignore[arg-type]


def power(b: Builder, x: Tensor, exponent: float) -> Tensor:
    """Whole exponents by products: TOSA's POW has no negative base."""
    if exponent == -0.5:
        return b.unary("RSQRT", x)
    if exponent == int(exponent) and 0 < abs(exponent) <= 4:
        made = x
        for _ in range(int(abs(exponent)) - 1):
            made = b.mul(made, x)
        return made if exponent > 0 else b.unary("RECIPROCAL", made)
    return b.binary("POW", x, b.scalar(exponent, x))


COMPARISONS = tuple(
    f"aten.{name}.{kind}" for name in ("eq", "ne", "gt", "ge", "lt", "le") for kind in ("Tensor", "Scalar")
)
_COMPARISONS: dict[str, tuple[str, bool, bool]] = {
    # TOSA's operator, whether operands change places, whether the result is inverted.
    "eq": ("EQUAL", False, False),
    "ne": ("EQUAL", False, True),
    "gt": ("GREATER", False, False),
    "ge": ("GREATER_EQUAL", False, False),
    "lt": ("GREATER", True, False),
    "le": ("GREATER_EQUAL", True, False),
}


def _number_of_type(node: Node) -> str | None:
    """TOSA compares what has one type, and PyTorch an integer with a fraction as floating point."""
    left, number = node.args[:2]
    dtype = left.meta[meta_keys.VAL].dtype if isinstance(left, Node) else torch.float32
    if dtype.is_floating_point or isinstance(number, Node):
        return None
    least, most = (0, 1) if dtype is torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    if least <= number <= most and number == int(number):  # type: ignore[operator, arg-type]
        return None
    return f"{str(dtype).removeprefix('torch.')} compared with {number}, which it has not; convert it first (.float())"


@plain(
    *COMPARISONS,
    dtypes=(*NUMBERS, torch.int16, torch.int8),
    refusals=(same_types, _number_of_type),
    conditions="integers with numbers of their type",
)
def compare(low: Lowering, node: Node) -> None:
    """Integers of 8 and 16 bits, which TOSA does not compare, in a type of the profile that holds them all."""
    b, wide = low.builder, DType.INT32 if low.spec.support_integer() else DType.FP32

    def function(*operands: Tensor) -> Tensor:
        x, *others = (
            b.cast(one, wide) if one.dtype in (DType.INT8, DType.INT16) else one for one in operands
        )
        return compared(b, node, x, others[0] if others else b.scalar(node.args[1], x))

    elementwise(low, node, [one for one in node.args[:2] if isinstance(one, Node)], function)


def compared(b: Builder, node: Node, x: Tensor, y: Tensor) -> Tensor:
    """What a comparison makes of operands of one type."""
    op, swapped, inverted = _COMPARISONS[str(node.target).split(".")[1]]
    found = b.compare(op, y, x) if swapped else b.compare(op, x, y)
    return b.unary("LOGICAL_NOT", found) if inverted else found


@plain("aten.where.self", dtypes=(*NUMBERS, torch.bool))
def where(low: Lowering, node: Node) -> None:
    value: torch.Tensor = node.meta[meta_keys.VAL]
    order = low.order_of(node.args, value.dim())
    condition = low.operand(node.args[0], order, DType.BOOL)
    # Of int64, numbers that are known: what converts the result is taken with it.
    kind = DTYPES.get(value.dtype, DType.INT32)
    branches = [low.operand(one, order, kind) for one in node.args[1:3]]
    made = low.builder.select(condition, *branches)
    low.set(node, made, order)


def unary(name: str, **options: Any) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Declares ``function(builder, x, node)`` as the operator's lowering."""

    def declare(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        def lower(low: Lowering, node: Node) -> None:
            elementwise(low, node, node.args[:1], lambda x: function(low.builder, x, node))

        plain(name, **options)(lower)
        return function

    return declare


def _direct(name: str, op: str) -> None:
    unary(f"aten.{name}.default")(lambda b, x, node: b.unary(op, x))


for _name, _op in {
    "ceil": "CEIL",
    "cos": "COS",
    "erf": "ERF",
    "exp": "EXP",
    "floor": "FLOOR",
    "log": "LOG",
    "reciprocal": "RECIPROCAL",
    "rsqrt": "RSQRT",
    "sigmoid": "SIGMOID",
    "sin": "SIN",
    "tanh": "TANH",
}.items():
    _direct(_name, _op)


@unary("aten.abs.default", dtypes=NUMBERS)
def absolute(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.unary("ABS", x)


@unary("aten.neg.default", dtypes=NUMBERS)
def negative(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.negate(x)


@unary("aten.sqrt.default")
def sqrt(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.binary("POW", x, b.scalar(0.5, x))


@unary("aten.log2.default")
def log2(b: Builder, x: Tensor, node: Node) -> Tensor:
    return _scaled(b, b.unary("LOG", x), 1 / math.log(2))


@unary("aten.log10.default")
def log10(b: Builder, x: Tensor, node: Node) -> Tensor:
    return _scaled(b, b.unary("LOG", x), 1 / math.log(10))


@unary("aten.log1p.default")
def log1p(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.unary("LOG", _shifted(b, x, 1.0))


def _scaled(b: Builder, x: Tensor, factor: float) -> Tensor:
    return b.mul(x, b.scalar(factor, x))


def _shifted(b: Builder, x: Tensor, summand: float) -> Tensor:
    return b.add(x, b.scalar(summand, x))


@unary("aten.tan.default")
def tan(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.mul(b.unary("SIN", x), b.unary("RECIPROCAL", b.unary("COS", x)))


@unary("aten.sinh.default")
def sinh(b: Builder, x: Tensor, node: Node) -> Tensor:
    both = b.sub(b.unary("EXP", x), b.unary("EXP", b.negate(x)))
    return _scaled(b, both, 0.5)


@unary("aten.cosh.default")
def cosh(b: Builder, x: Tensor, node: Node) -> Tensor:
    both = b.add(b.unary("EXP", x), b.unary("EXP", b.negate(x)))
    return _scaled(b, both, 0.5)


@unary("aten.sign.default")
def sign(b: Builder, x: Tensor, node: Node) -> Tensor:
    zero, one = b.scalar(0.0, x), b.scalar(1.0, x)
    negative = b.select(b.compare("GREATER", zero, x), b.scalar(-1.0, x), zero)
    return b.select(b.compare("GREATER", x, zero), one, negative)


@unary("aten.trunc.default")
def trunc(b: Builder, x: Tensor, node: Node) -> Tensor:
    below = b.compare("GREATER", b.scalar(0.0, x), x)
    return b.select(below, b.unary("CEIL", x), b.unary("FLOOR", x))


@unary("aten.round.default")
def round_to_even(b: Builder, x: Tensor, node: Node) -> Tensor:
    """TOSA rounds to even when it casts to integers; what has no fraction, or would not fit, is itself."""
    whole = b.cast(b.cast(b.clamp(x, -(2.0**24), 2.0**24), DType.INT32), x.dtype)
    large = b.compare("GREATER", b.unary("ABS", x), b.scalar(2.0**24 if x.dtype == DType.FP32 else 2048.0, x))
    return b.select(large, x, whole)


@unary("aten.isnan.default")
def isnan(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.unary("LOGICAL_NOT", b.compare("EQUAL", x, x))


@unary("aten.isinf.default")
def isinf(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.compare("EQUAL", b.unary("ABS", x), b.scalar(math.inf, x))


@unary("aten.relu.default", dtypes=NUMBERS)
def relu(b: Builder, x: Tensor, node: Node) -> Tensor:
    if x.dtype == DType.INT32:
        return b.maximum(x, b.scalar(0, x))
    return b.clamp(x, 0.0, math.inf)


@unary("aten.hardtanh.default")
def hardtanh(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.clamp(x, argument(node, 1, "min_val", -1.0), argument(node, 2, "max_val", 1.0))


def _limits_are_numbers(node: Node) -> str | None:
    limits = [*node.args[1:], *node.kwargs.values()]
    return (
        "limits that are calculated; use torch.minimum and torch.maximum"
        if any(isinstance(one, Node) for one in limits)
        else None
    )


@unary("aten.clamp.default", dtypes=NUMBERS, refusals=(_limits_are_numbers,))
def clamp(b: Builder, x: Tensor, node: Node) -> Tensor:
    low, high = argument(node, 1, "min"), argument(node, 2, "max")
    if x.dtype != DType.INT32:
        return b.clamp(x, -math.inf if low is None else low, math.inf if high is None else high)
    x = x if low is None else b.maximum(x, b.scalar(int(low), x))
    return x if high is None else b.minimum(x, b.scalar(int(high), x))


@unary("aten.hardsigmoid.default", keeps_whole=True)
def hardsigmoid(b: Builder, x: Tensor, node: Node) -> Tensor:
    return _scaled(b, b.clamp(_shifted(b, x, 3.0), 0.0, 6.0), 1 / 6)


@unary("aten.hardswish.default", keeps_whole=True)
def hardswish(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.mul(x, hardsigmoid(b, x, node))


@unary("aten.silu.default", keeps_whole=True)
def silu(b: Builder, x: Tensor, node: Node) -> Tensor:
    return b.mul(x, b.unary("SIGMOID", x))


@unary("aten.softplus.default", keeps_whole=True)
def softplus(b: Builder, x: Tensor, node: Node) -> Tensor:
    """``max(x, 0) + log(1 + exp(-|x|))``, which no large argument overflows."""
    beta, threshold = argument(node, 1, "beta", 1), argument(node, 2, "threshold", 20)
    scaled = _scaled(b, x, beta)
    small = b.unary("EXP", b.negate(b.unary("ABS", scaled)))
    soft = b.add(b.clamp(scaled, 0.0, math.inf), b.unary("LOG", _shifted(b, small, 1.0)))
    linear = b.compare("GREATER", scaled, b.scalar(threshold, x))
    return b.select(linear, x, _scaled(b, soft, 1 / beta))


@unary("aten.gelu.default")
def gelu(b: Builder, x: Tensor, node: Node) -> Tensor:
    if node.kwargs.get("approximate", "none") == "tanh":
        cube = _scaled(b, b.mul(b.mul(x, x), x), 0.044715)
        inner = b.unary("TANH", _scaled(b, b.add(x, cube), math.sqrt(2 / math.pi)))
    else:
        inner = b.unary("ERF", _scaled(b, x, math.sqrt(0.5)))
    return _scaled(b, b.mul(x, _shifted(b, inner, 1.0)), 0.5)


@unary("aten.leaky_relu.default")
def leaky_relu(b: Builder, x: Tensor, node: Node) -> Tensor:
    slope = argument(node, 1, "negative_slope", 0.01)
    return b.select(b.compare("GREATER", x, b.scalar(0.0, x)), x, _scaled(b, x, slope))


@unary("aten.elu.default")
def elu(b: Builder, x: Tensor, node: Node) -> Tensor:
    alpha, scale, inner = (
        argument(node, i, name, 1) for i, name in enumerate(("alpha", "scale", "input_scale"), 1)
    )
    low = b.clamp(x, -math.inf, 0.0)
    below = _scaled(b, _shifted(b, b.unary("EXP", _scaled(b, low, inner)), -1.0), alpha)
    return _scaled(b, b.select(b.compare("GREATER", x, b.scalar(0.0, x)), x, below), scale)


__all__ = ["FLOATS", "argument", "elementwise", "power", "same_types"]
