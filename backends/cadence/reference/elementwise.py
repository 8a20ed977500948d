"""Operators of one element at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch

from executorch.backends.cadence.reference import arithmetic
from executorch.backends.cadence.reference.arithmetic import integer, number

_BYTES = (torch.int8, torch.uint8)


def _binary(function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Callable[..., torch.Tensor]:
    def run(
        x: torch.Tensor,
        x_scale: torch.Tensor | float,
        x_zero_point: torch.Tensor | int,
        y: torch.Tensor,
        y_scale: torch.Tensor | float,
        y_zero_point: torch.Tensor | int,
        out_scale: float,
        out_zero_point: int,
    ) -> torch.Tensor:
        if x.dtype != y.dtype or x.dtype not in _BYTES:
            raise ValueError(
                f"X and Y dtypes need to be in {list(_BYTES)} and equal. Got {x.dtype} and {y.dtype}"
            )
        left = arithmetic.to_floats(x, number(x_scale, "X_scale"), integer(x_zero_point, "X_zero_point"))
        right = arithmetic.to_floats(y, number(y_scale, "Y_scale"), integer(y_zero_point, "Y_zero_point"))
        return arithmetic.to_integers(function(left, right), out_scale, out_zero_point, x.dtype)

    return run


def _with_scalar(function: Callable[[torch.Tensor, float], torch.Tensor]) -> Callable[..., torch.Tensor]:
    def run(
        x: torch.Tensor,
        x_scale: torch.Tensor,
        x_zero_point: torch.Tensor,
        y: float,
        out_scale: float,
        out_zero_point: int,
    ) -> torch.Tensor:
        left = arithmetic.to_floats(x, number(x_scale, "X_scale"), integer(x_zero_point, "X_zero_point"))
        return arithmetic.to_integers(function(left, y), out_scale, out_zero_point, x.dtype)

    return run


quantized_add = _binary(operator.add)
quantized_add_scalar = _with_scalar(operator.add)
quantized_mul = _binary(operator.mul)
quantized_mul_scalar = _with_scalar(operator.mul)


def quantized_relu(
    x: torch.Tensor,
    x_zero_point: torch.Tensor | int,
    out_zero_point: int,
    out_multiplier: torch.Tensor | int,
    out_shift: torch.Tensor | int,
) -> torch.Tensor:
    above = (x.to(torch.int64) - integer(x_zero_point, "X_zero_point")).clamp(min=0)
    scale = 1.0 / arithmetic.factor(out_multiplier, out_shift)
    return arithmetic.to_integers(above.to(torch.float32), scale, out_zero_point, x.dtype)


def where_scalar(condition: torch.Tensor, if_true: float, if_false: float) -> torch.Tensor:
    if condition.dtype != torch.bool:
        raise ValueError("condition must be a bool tensor")
    return torch.where(condition, if_true, if_false).to(torch.float32)


def rope(
    input: torch.Tensor, sin: torch.Tensor, cos: torch.Tensor, positions: torch.Tensor | None
) -> torch.Tensor:
    """Rotates pairs of neighbours along the last dimension; ``input`` is ``[1, sequence, heads, size]``, ``sin`` ``[positions, size / 2]``."""
    sin, cos = _at(sin, positions), _at(cos, positions)
    pairs = input.reshape(*input.shape[:3], -1, 2)
    return torch.stack(_turned(pairs[..., 0], pairs[..., 1], sin, cos), -1).reshape(input.shape)


def rope_rotate_stacked_halves(
    input: torch.Tensor, sin: torch.Tensor, cos: torch.Tensor, positions: torch.Tensor | None
) -> torch.Tensor:
    """The same of pairs whose second elements are the second half of the last dimension."""
    sin, cos = _at(sin, positions), _at(cos, positions)
    first, second = input.chunk(2, -1)
    return torch.cat(_turned(first, second, sin, cos), -1)


def quantized_rope_rotate_stacked_halves(
    input: torch.Tensor,
    sin: torch.Tensor,
    cos: torch.Tensor,
    positions: torch.Tensor | None,
    in_scale: float,
    in_zero_point: int,
    out_scale: float,
    out_zero_point: int,
) -> torch.Tensor:
    turned = rope_rotate_stacked_halves(
        arithmetic.to_floats(input, in_scale, in_zero_point), sin, cos, positions
    )
    return arithmetic.to_integers(turned, out_scale, out_zero_point, input.dtype)


def _at(table: torch.Tensor, positions: torch.Tensor | None) -> torch.Tensor:
    """``[sequence, 1, size / 2]``, to be read by all heads."""
    return (table if positions is None else table[positions]).unsqueeze(1)


def _turned(
    first: torch.Tensor, second: torch.Tensor, sin: torch.Tensor, cos: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    return first * cos - second * sin, first * sin + second * cos


def transfer(source: torch.Tensor, *rest: Any) -> torch.Tensor:
    """What a transfer by DMA gives: a copy."""
    return source.clone()


def slice_scatter_(
    self: torch.Tensor,
    source: torch.Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> torch.Tensor:
    """``aten.slice_scatter`` in place."""
    return self.copy_(torch.ops.aten.slice_scatter.default(self, source, dim, start, end, step))


def mask_of_bits(mask: torch.Tensor, threshold: float) -> torch.Tensor:
    """Eight values of the mask as the bits of one byte, the first one lowest; set where a value is below the threshold."""
    bits = (mask < threshold).reshape(*mask.shape[:-1], -1, 8).to(torch.int32)
    return (bits << torch.arange(8, dtype=torch.int32)).sum(-1).to(torch.uint8)
