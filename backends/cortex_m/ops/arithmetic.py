"""Factors between scales as integers, the way TensorFlow Lite and CMSIS-NN define them: a multiplier of 31 fractional bits
and a power of two, two roundings. ``kernels/arithmetic.h`` has the same in C++, equal to the bit."""

from __future__ import annotations

import math

import torch

Factor = tuple[int, int]

_HALF = 1 << 30
#: Of factors of int16; they are shifted by less to the left.
WIDE_BITS = 15


def quantize_multiplier(real: float) -> Factor:
    """The multiplier and the shift with ``real = multiplier * 2 ** (shift - 31)``.

    Raises:
        ValueError: ``real`` is not finite, or too large for a shift of 31.
    """
    if not math.isfinite(real):
        raise ValueError(f"a factor between scales must be finite, not {real}")
    fraction, shift = math.frexp(real)
    multiplier = round(fraction * (1 << 31))
    if abs(multiplier) == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    if shift > 31:
        raise ValueError(f"a factor between scales must be below {1 << 31}, not {real}; check the scales")
    return (0, 0) if shift < -31 else (multiplier, shift)


def wrap(values: torch.Tensor) -> torch.Tensor:
    """Integers as 32 bits hold them, as int64."""
    return values.to(torch.int32).to(torch.int64)


def high_product(values: torch.Tensor, multiplier: torch.Tensor | int) -> torch.Tensor:
    """``values * multiplier / 2 ** 31``, rounded; halves go up."""
    return (values * multiplier + _HALF) >> 31


def divide_by_power(values: torch.Tensor, exponent: torch.Tensor | int) -> torch.Tensor:
    """``values / 2 ** exponent``, rounded; halves go away from zero."""
    mask = (1 << exponent) - 1 if isinstance(exponent, int) else (torch.ones_like(exponent) << exponent) - 1
    threshold = (mask >> 1) + (values < 0).to(torch.int64)
    return (values >> exponent) + ((values & mask) > threshold).to(torch.int64)


def requantize(
    values: torch.Tensor, multiplier: torch.Tensor | int, shift: torch.Tensor | int
) -> torch.Tensor:
    """Integers of 32 bits times a factor, or times a factor for each position of the last dimension; as int64."""
    if isinstance(multiplier, int) and isinstance(shift, int):
        shifted = wrap(values.to(torch.int64) << max(shift, 0))
        return divide_by_power(high_product(shifted, multiplier), max(-shift, 0))
    factors, shifts = torch.as_tensor(multiplier).to(torch.int64), torch.as_tensor(shift).to(torch.int64)
    shifted = wrap(values.to(torch.int64) << shifts.clamp(min=0))
    return divide_by_power(high_product(shifted, factors), (-shifts).clamp(min=0))


def finish(
    sums: torch.Tensor,
    multiplier: torch.Tensor | int,
    shift: torch.Tensor | int,
    offset: int,
    low: int = -128,
    high: int = 127,
    dtype: torch.dtype = torch.int8,
) -> torch.Tensor:
    """Sums as integers of the output's scale."""
    return (requantize(sums, multiplier, shift) + offset).clamp(low, high).to(dtype)


def finish_wide(
    sums: torch.Tensor, multipliers: torch.Tensor, shifts: torch.Tensor, low: int, high: int
) -> torch.Tensor:
    """Sums of 64 bits as int16 of the output's scale: factors have 15 bits, and one rounding, whose halves go up.

    The same in TensorFlow Lite and CMSIS-NN for activations of int16.
    """
    wide = multipliers.to(torch.int64)
    reduced = torch.where(wide < 0x7FFF0000, (wide + (1 << 15)) >> 16, 0x7FFF)
    exponents = WIDE_BITS - shifts.to(torch.int64)
    halves = torch.ones_like(exponents) << (exponents - 1)
    return ((sums * reduced + halves) >> exponents).clamp(low, high).to(torch.int16)


__all__ = [
    "WIDE_BITS",
    "Factor",
    "divide_by_power",
    "finish",
    "finish_wide",
    "high_product",
    "quantize_multiplier",
    "requantize",
    "wrap",
]
