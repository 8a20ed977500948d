"""Reductions along one axis, which stays with size 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    FP,
    TosaValueError,
    empty,
    operator,
    require_axis,
    require_dtype,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.elementwise import require_nan_mode
from executorch.backends.arm.tosa.dialect.ops.types import BF16, BYTES, HALVES

_FLOAT: dict[str, Any] = {"floats": HALVES, **BF16}


def _reduced(op: str, x: torch.Tensor, axis: int) -> torch.Tensor:
    require_axis(op, axis, x.dim())
    return empty(x, [1 if i == axis else size for i, size in enumerate(x.shape)])


def _logical(op: str, compute: Callable[..., Any]) -> None:
    def check(x: torch.Tensor, *, axis: int) -> torch.Tensor:
        if x.dtype is not torch.bool:
            raise TosaValueError(f"{op} requires bool input, got {x.dtype}", op)
        return _reduced(op, x, axis)

    operator(
        f"{op}(Tensor input, *, int axis) -> Tensor", ALL, lambda x, *, axis: compute(x, axis, keepdim=True)
    )(check)


def _extreme(op: str, compute: Callable[..., torch.Tensor]) -> None:
    def check(x: torch.Tensor, *, axis: int, nan_mode: str = "PROPAGATE") -> torch.Tensor:
        require_dtype(op, x.dtype, supported(integers=BYTES, **_FLOAT))
        require_nan_mode(op, nan_mode)
        return _reduced(op, x, axis)

    def run(x: torch.Tensor, *, axis: int, nan_mode: str = "PROPAGATE") -> torch.Tensor:
        if nan_mode == "IGNORE" and x.dtype.is_floating_point:
            least = float("-inf") if op == "REDUCE_MAX" else float("inf")
            x = torch.where(torch.isnan(x) & ~torch.isnan(x).all(axis, keepdim=True), least, x)
        return compute(x, axis, keepdim=True)

    operator(f'{op}(Tensor input, *, int axis, str nan_mode="PROPAGATE") -> Tensor', ALL, run)(check)


_logical("REDUCE_ALL", torch.all)
_logical("REDUCE_ANY", torch.any)
_extreme("REDUCE_MAX", torch.amax)
_extreme("REDUCE_MIN", torch.amin)


@operator(
    "REDUCE_SUM(Tensor input, *, int axis) -> Tensor",
    ALL,
    lambda x, *, axis: torch.sum(x, axis, keepdim=True, dtype=x.dtype),
)
def _(x: torch.Tensor, *, axis: int) -> torch.Tensor:
    require_dtype("REDUCE_SUM", x.dtype, supported(integers=(torch.int32,), **_FLOAT))
    return _reduced("REDUCE_SUM", x, axis)


@operator(
    "REDUCE_PRODUCT(Tensor input, *, int axis) -> Tensor",
    FP,
    lambda x, *, axis: torch.prod(x, axis, keepdim=True),
)
def _(x: torch.Tensor, *, axis: int) -> torch.Tensor:
    if not x.dtype.is_floating_point:
        raise TosaValueError(f"REDUCE_PRODUCT requires floating-point input, got {x.dtype}", "REDUCE_PRODUCT")
    require_dtype("REDUCE_PRODUCT", x.dtype, supported(**_FLOAT))
    return _reduced("REDUCE_PRODUCT", x, axis)


@operator(
    'ARGMAX(Tensor input, *, int axis, str nan_mode="PROPAGATE") -> Tensor',
    ALL,
    lambda x, *, axis, nan_mode="PROPAGATE": torch.argmax(x, axis).int(),
)
def _(x: torch.Tensor, *, axis: int, nan_mode: str = "PROPAGATE") -> torch.Tensor:
    types: dict[str, Any] = {"fp8e4m3": torch.float8_e4m3fn, "fp8e5m2": torch.float8_e5m2}
    require_dtype("ARGMAX", x.dtype, supported(integers=(torch.int8,), int16=torch.int16, **types, **_FLOAT))
    require_nan_mode("ARGMAX", nan_mode)
    require_axis("ARGMAX", axis, x.dim())
    return empty(x, [size for i, size in enumerate(x.shape) if i != axis], torch.int32)
