"""Operators on shapes, of TOSA 1.1: lists of sizes that may be symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy
import torch

from executorch.backends.arm.tosa.dialect.lib import (
    TosaValueError,
    known,
    operator,
    require_axis,
    require_dtype,
    require_extension,
)
from executorch.backends.arm.tosa.dialect.ops.data_layout import moved_types
from executorch.backends.arm.tosa.specification import get_context_spec

Sizes = Sequence[Any]
#: Base-2 logarithm of the largest size, and of the level 8K.
_MOST_LOG2, _MOST_LOG2_8K = 63, 31


def _shapes(op: str) -> None:
    if not get_context_spec().support_extension("shape"):
        require_extension(op, "shape")


def _require(op: str, rule: str, values: Sizes, holds: Callable[[int], bool]) -> None:
    if any(known(one) and not holds(one) for one in values):
        raise TosaValueError(f"{op} requires {rule}, got {list(values)}", op)


@operator("CONST_SHAPE(SymInt[] shape) -> SymInt[]")
def _(shape: Sizes) -> list[Any]:
    return list(shape)


@operator("DIM(Tensor input, *, int axis) -> SymInt[]", compute=lambda x, *, axis: [x.shape[axis]])
def _(x: torch.Tensor, *, axis: int) -> list[Any]:
    _shapes("DIM")
    require_dtype("DIM", x.dtype, moved_types())
    require_axis("DIM", axis, x.dim())
    _require("DIM", "shape[axis] > 0", [x.shape[axis]], lambda one: one > 0)
    return [x.shape[axis]]


@operator("CONCAT_SHAPE(SymInt[][] shapes) -> SymInt[]")
def _(shapes: Sequence[Sizes]) -> list[Any]:
    _shapes("CONCAT_SHAPE")
    if not shapes:
        raise TosaValueError("CONCAT_SHAPE requires at least one shape tensor", "CONCAT_SHAPE")
    if any(not one for one in shapes):
        raise TosaValueError("CONCAT_SHAPE disallows empty input shapes", "CONCAT_SHAPE")
    return [size for one in shapes for size in one]


def _pairs(
    op: str, compute: Callable[[Any, Any], Any], first: int | None = None, second: int | None = None
) -> None:
    """Declares an operator on pairs of sizes, with the least that either may be."""

    def check(input1: Sizes, input2: Sizes) -> list[Any]:
        _shapes(op)
        if len(input1) != len(input2):
            raise TosaValueError(f"{op} requires equal lengths, got {len(input1)} and {len(input2)}", op)
        if first is not None:
            _require(op, f"input1 >= {first}", input1, lambda one: one >= first)
        if second is not None:
            _require(op, f"input2 > {second - 1}", input2, lambda one: one >= second)
        return [compute(a, c) for a, c in zip(input1, input2, strict=True)]

    operator(f"{op}(SymInt[] input1, SymInt[] input2) -> SymInt[]")(check)


_pairs("ADD_SHAPE", lambda a, c: a + c)
_pairs("SUB_SHAPE", lambda a, c: a - c)
_pairs("MUL_SHAPE", lambda a, c: a * c)
_pairs("MOD_SHAPE", lambda a, c: a % c, 0, 1)
_pairs("DIV_FLOOR_SHAPE", lambda a, c: a // c, 0, 1)
_pairs("DIV_CEIL_SHAPE", lambda a, c: (a + c - 1) // c, 0, 1)
_pairs("MAX_SHAPE", torch.sym_max)
_pairs("MIN_SHAPE", torch.sym_min)


def _expression(size: Any) -> Any:
    return sympy.Integer(size) if known(size) else size.node.expr


def _symbol(expression: Any, like: torch.SymInt) -> Any:
    """A size by its expression."""
    environment = like.node.shape_env
    made = environment.create_symintnode(expression, hint=None)
    return made


def _bounds(size: Any) -> tuple[int, int]:
    """The least and the largest value of a size.

    Raises:
        TosaValueError: a symbol has no bounds.
    """
    if known(size):
        return size, size
    found = size.node.shape_env.bound_sympy(size.node.expr)
    if not found.lower.is_Integer or not found.upper.is_Integer:
        raise TosaValueError(f"the symbol {size} has no bounds; SLICE_SHAPE needs some", "SLICE_SHAPE")
    return int(found.lower), int(found.upper)


@operator("SLICE_SHAPE(SymInt[] input, SymInt[] start, SymInt[] size) -> SymInt[]")
def _(x: Sizes, start: Sizes, size: Sizes) -> list[Any]:
    op = "SLICE_SHAPE"
    _shapes(op)
    if len(start) != 1 or len(size) != 1:
        raise TosaValueError("start and size are one number each", op)
    low, high = _bounds(start[0])
    least, most = _bounds(size[0])
    if low < 0:
        raise TosaValueError(f"{op} requires start >= 0, got {low}", op)
    if least < 1:
        raise TosaValueError(f"{op} requires size > 0, got {least}", op)
    if least != most:
        raise TosaValueError(f"the length of the result is between {least} and {most}; it must be known", op)
    if high + most > len(x):
        raise TosaValueError(f"{op} must stay within input bounds: {high} and {most} of {len(x)}", op)
    if low == high:
        return list(x[low : low + least])
    return [_one_of([x[one + i] for one in range(low, high + 1)], start[0], low) for i in range(least)]


def _one_of(sizes: Sizes, start: torch.SymInt, low: int) -> Any:
    cases = [
        (_expression(one), sympy.Eq(start.node.expr, low + i, evaluate=False)) for i, one in enumerate(sizes)
    ]
    return _symbol(sympy.Piecewise(*cases), start)


def _most_log2() -> int:
    return _MOST_LOG2_8K if get_context_spec().level_8k else _MOST_LOG2


@operator("EXP2_SHAPE(SymInt[] input) -> SymInt[]")
def _(x: Sizes) -> list[Any]:
    _shapes("EXP2_SHAPE")
    most = _most_log2()
    _require("EXP2_SHAPE", "input >= 0", x, lambda one: one >= 0)
    _require("EXP2_SHAPE", f"input < {most}", x, lambda one: one < most)
    return [1 << one if known(one) else _symbol(sympy.Integer(2) ** _expression(one), one) for one in x]


def _logarithm(op: str, number: Callable[[int], int], symbol: Callable[[Any], Any]) -> None:
    def check(x: Sizes) -> list[Any]:
        _shapes(op)
        _require(op, "input > 0", x, lambda one: one > 0)
        return [number(one) if known(one) else _symbol(symbol(_expression(one)), one) for one in x]

    operator(f"{op}(SymInt[] input) -> SymInt[]")(check)


_logarithm("LOG2_FLOOR_SHAPE", lambda one: one.bit_length() - 1, lambda one: sympy.floor(sympy.log(one, 2)))
_logarithm(
    "LOG2_CEIL_SHAPE", lambda one: (one - 1).bit_length(), lambda one: sympy.ceiling(sympy.log(one, 2))
)


@operator("ASSERT_EQUAL_SHAPE(SymInt[] input1, SymInt[] input2, *, bool allow_broadcast=False) -> ()")
def ASSERT_EQUAL_SHAPE(input1: Sizes, input2: Sizes, *, allow_broadcast: bool = False) -> None:
    """That shapes agree is what a run finds out; here only their lengths are looked at."""
    _shapes("ASSERT_EQUAL_SHAPE")
    if len(input1) != len(input2):
        raise TosaValueError(
            f"ASSERT_EQUAL_SHAPE requires equal lengths, got {len(input1)} and {len(input2)}",
            "ASSERT_EQUAL_SHAPE",
        )
