"""Operators of one element, or of two or three that are broadcast."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    FP,
    INT,
    TosaValueError,
    empty,
    operator,
    require_dtype,
    require_same_dtype,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BF16, BYTES, HALVES

Compute = Callable[..., torch.Tensor]
Types = Sequence[torch.dtype]


def broadcast(op: str, *tensors: torch.Tensor) -> torch.Size:
    """The shape of the result; TOSA adds no dimensions.

    Raises:
        TosaValueError: the ranks differ, or a dimension neither agrees nor is 1.
    """
    ranks = {one.dim() for one in tensors}
    if len(ranks) > 1:
        raise TosaValueError(f"operands of {sorted(ranks)} dimensions; TOSA broadcasts within one rank", op)
    try:
        return torch.broadcast_shapes(*[one.shape for one in tensors])
    except RuntimeError as error:
        raise TosaValueError(
            f"shapes {[tuple(one.shape) for one in tensors]} are not broadcast", op
        ) from error


def _declare(
    name: str,
    operands: int,
    compute: Compute,
    profiles: tuple[str, ...],
    result: torch.dtype | None = None,
    **types: Any,
) -> None:
    inputs = ["Tensor input"] if operands == 1 else [f"Tensor input{i + 1}" for i in range(operands)]

    def check(*tensors: torch.Tensor) -> torch.Tensor:
        require_same_dtype(name, *tensors)
        if "always" in types and types["always"] == (torch.bool,) and tensors[0].dtype is not torch.bool:
            raise TosaValueError(f"{name} requires bool inputs, got {tensors[0].dtype}", name)
        require_dtype(name, tensors[0].dtype, supported(**types))
        return empty(tensors[0], broadcast(name, *tensors), result)

    operator(f"{name}({', '.join(inputs)}) -> Tensor", profiles, compute)(check)


_FLOAT: dict[str, Any] = {"floats": HALVES, **BF16}
_WIDE: dict[str, Any] = {"integers": (torch.int32,), **_FLOAT}

for _name, _compute in {
    "CEIL": torch.ceil,
    "COS": torch.cos,
    "ERF": torch.erf,
    "EXP": torch.exp,
    "FLOOR": torch.floor,
    "LOG": torch.log,
    "RECIPROCAL": torch.reciprocal,
    "RSQRT": torch.rsqrt,
    "SIGMOID": torch.sigmoid,
    "SIN": torch.sin,
    "TANH": torch.tanh,
}.items():
    _declare(_name, 1, _compute, FP, **_FLOAT)


def _leading_zeros(x: torch.Tensor) -> torch.Tensor:
    bits = x.long() & 0xFFFFFFFF
    return 32 - torch.stack([(bits >> i > 0).int() for i in range(32)]).sum(0, dtype=torch.int32)


_declare("ABS", 1, torch.abs, ALL, **_WIDE)
_declare("NEGATE", 1, torch.neg, ALL, integers=BYTES, **_FLOAT)
_declare("BITWISE_NOT", 1, torch.bitwise_not, INT, integers=BYTES)
_declare("CLZ", 1, _leading_zeros, INT, integers=(torch.int32,))
_declare("LOGICAL_NOT", 1, torch.logical_not, ALL, always=(torch.bool,))

_declare("ADD", 2, torch.add, ALL, **_WIDE)
_declare("SUB", 2, torch.sub, ALL, **_WIDE)
_declare("MAXIMUM", 2, torch.maximum, ALL, **_WIDE)
_declare("MINIMUM", 2, torch.minimum, ALL, **_WIDE)
_declare("POW", 2, torch.pow, FP, **_FLOAT)
_declare("BITWISE_AND", 2, torch.bitwise_and, ALL, integers=BYTES, int64=torch.int64)
_declare("BITWISE_OR", 2, torch.bitwise_or, INT, integers=BYTES)
_declare("BITWISE_XOR", 2, torch.bitwise_xor, INT, integers=BYTES)
_declare("LOGICAL_AND", 2, torch.logical_and, ALL, always=(torch.bool,))
_declare("LOGICAL_OR", 2, torch.logical_or, ALL, always=(torch.bool,))
_declare("LOGICAL_XOR", 2, torch.logical_xor, ALL, always=(torch.bool,))
_declare("EQUAL", 2, torch.eq, ALL, torch.bool, **_WIDE)
_declare("GREATER", 2, torch.gt, ALL, torch.bool, **_WIDE)
_declare("GREATER_EQUAL", 2, torch.ge, ALL, torch.bool, **_WIDE)
_declare("INTDIV", 2, lambda x, y: torch.div(x, y, rounding_mode="trunc"), ALL, always=(torch.int32,))
_declare("LOGICAL_LEFT_SHIFT", 2, torch.bitwise_left_shift, ALL, always=BYTES)


def _logical_right(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    bits = torch.iinfo(x.dtype).bits
    return ((x.long() & ((1 << bits) - 1)) >> y.long()).to(x.dtype)


_declare("LOGICAL_RIGHT_SHIFT", 2, _logical_right, ALL, always=BYTES)


def _arithmetic_right(x: torch.Tensor, y: torch.Tensor, *, round: bool = False) -> torch.Tensor:
    wide, shift = x.long(), y.long()
    made = wide >> shift
    if round:
        made = made + torch.where(shift > 0, (wide >> (shift - 1).clamp(min=0)) & 1, 0)
    return made.to(x.dtype)


@operator(
    "ARITHMETIC_RIGHT_SHIFT(Tensor input1, Tensor input2, *, bool round=False) -> Tensor",
    ALL,
    _arithmetic_right,
)
def _(input1: torch.Tensor, input2: torch.Tensor, *, round: bool = False) -> torch.Tensor:
    op = "ARITHMETIC_RIGHT_SHIFT"
    require_same_dtype(op, input1, input2)
    require_dtype(op, input1.dtype, supported(always=BYTES))
    return empty(input1, broadcast(op, input1, input2))


def _product(x: torch.Tensor, y: torch.Tensor, *, shift: int = 0) -> torch.Tensor:
    if x.dtype.is_floating_point:
        return x * y
    made = x.long() * y.long()
    return ((made + ((1 << shift) >> 1)) >> shift).int()


@operator("MUL(Tensor input1, Tensor input2, *, int shift=0) -> Tensor", ALL, _product)
def _(input1: torch.Tensor, input2: torch.Tensor, *, shift: int = 0) -> torch.Tensor:
    require_same_dtype("MUL", input1, input2)
    require_dtype("MUL", input1.dtype, supported(integers=BYTES, **_FLOAT))
    if shift != 0 and input1.dtype is not torch.int32:
        raise TosaValueError("Only int32 MUL supports a non-zero shift value", "MUL")
    if not 0 <= shift <= 63:
        raise TosaValueError(f"shift {shift}, of which there are 0 to 63", "MUL")
    integer = not input1.dtype.is_floating_point
    return empty(input1, broadcast("MUL", input1, input2), torch.int32 if integer else None)


def _limit(value: float, dtype: torch.dtype, name: str) -> None:
    if dtype.is_floating_point:
        if math.isnan(value):
            raise TosaValueError(f"{name} is NaN", "CLAMP")
        return
    if value != int(value):
        raise TosaValueError(f"{name} must be an integer for {dtype}, got {value}", "CLAMP")
    info = torch.iinfo(dtype)
    if not info.min <= value <= info.max:
        raise TosaValueError(f"{name} must be in [{info.min}, {info.max}] for {dtype}, got {value}", "CLAMP")


def _clamped(x: torch.Tensor, min_val: float, max_val: float, *, nan_mode: str = "PROPAGATE") -> torch.Tensor:
    return x.clamp(min_val, max_val)


@operator(
    'CLAMP(Tensor input, Scalar min_val, Scalar max_val, *, str nan_mode="PROPAGATE") -> Tensor',
    ALL,
    _clamped,
)
def _(x: torch.Tensor, min_val: float, max_val: float, *, nan_mode: str = "PROPAGATE") -> torch.Tensor:
    require_dtype("CLAMP", x.dtype, supported(integers=(torch.int8,), int16=torch.int16, **_FLOAT))
    require_nan_mode("CLAMP", nan_mode)
    _limit(min_val, x.dtype, "min_val")
    _limit(max_val, x.dtype, "max_val")
    if max_val < min_val:
        raise TosaValueError("max_val must be greater than or equal to min_val", "CLAMP")
    return empty(x)


def require_nan_mode(op: str, nan_mode: str) -> None:
    """Raises:
    TosaValueError: it is no mode.
    """
    if nan_mode not in ("PROPAGATE", "IGNORE"):
        raise TosaValueError(f"Invalid nan_mode {nan_mode!r}; there are PROPAGATE and IGNORE", op)


@operator("SELECT(Tensor condition, Tensor input1, Tensor input2) -> Tensor", ALL, torch.where)
def _(condition: torch.Tensor, input1: torch.Tensor, input2: torch.Tensor) -> torch.Tensor:
    if condition.dtype is not torch.bool:
        raise TosaValueError(f"SELECT requires bool condition, got {condition.dtype}", "SELECT")
    require_same_dtype("SELECT", input1, input2)
    require_dtype("SELECT", input1.dtype, supported(integers=BYTES, always=(torch.bool,), **_FLOAT))
    return empty(input1, broadcast("SELECT", condition, input1, input2))


def _looked_up(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    if x.dtype is torch.int8:
        return table[x.long() + 128]
    place, fraction = (x.long() + 32768) >> 7, x.long() & 127
    base, following = table[place].long(), table[place + 1].long()
    return ((base << 7) + (following - base) * fraction).int()


@operator("TABLE(Tensor input, Tensor table) -> Tensor", INT, _looked_up)
def _(x: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    require_dtype("TABLE", x.dtype, supported(integers=(torch.int8,), int16=torch.int16))
    require_same_dtype("TABLE", x, table)
    length = 256 if x.dtype is torch.int8 else 513
    if tuple(table.shape) != (length,):
        raise TosaValueError(
            f"a table of shape {tuple(table.shape)}; {x.dtype} takes {length} entries", "TABLE"
        )
    return empty(x, dtype=torch.int8 if x.dtype is torch.int8 else torch.int32)
