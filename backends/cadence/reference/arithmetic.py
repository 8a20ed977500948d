"""Between floats and integers: what the definitions of all quantized operators have in common.

Values are rounded half to even and clamped to what their type holds, as PyTorch quantizes.
"""

from __future__ import annotations

from typing import Final

import torch

#: Types that operators take and give.
INTEGERS: Final = (torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32)


def number(value: torch.Tensor | float, what: str) -> float:
    """One number out of a tensor of one value, which operators without ``per_tensor`` have for each of their numbers."""
    if isinstance(value, torch.Tensor):
        if value.numel() != 1:
            raise ValueError(f"{what} must be a scalar, but has {value.numel()} values")
        return value.item()
    return value


def integer(value: torch.Tensor | int, what: str) -> int:
    """The same, of a whole number."""
    return int(number(value, what))


def check_type(values: torch.Tensor, wanted: torch.dtype, what: str) -> None:
    """Raises ValueError if a variant for one type gets another."""
    if values.dtype != wanted:
        raise ValueError(f"{what} dtype must be {wanted}. Got {values.dtype}")


def limits(dtype: torch.dtype) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    info = torch.iinfo(dtype)
    return info.min, info.max


def quantized(
    values: torch.Tensor, scale: float, zero_point: int, dtype: torch.dtype, low: int, high: int
) -> torch.Tensor:
    """``values / scale + zero_point``, rounded, between ``low`` and ``high``."""
    if dtype not in INTEGERS:
        raise ValueError(
            f"Unsupported dtype to quantize to {dtype}. Supported dtypes must be one of {list(INTEGERS)}"
        )
    return (torch.round(values * (1.0 / scale)) + zero_point).clamp(low, high).to(dtype)


def to_integers(values: torch.Tensor, scale: float, zero_point: int, dtype: torch.dtype) -> torch.Tensor:
    """The same between the limits of the type."""
    return quantized(values, scale, zero_point, dtype, *limits(dtype))


def to_floats(values: torch.Tensor, scale: float, zero_point: int) -> torch.Tensor:
    """``(values - zero_point) * scale``, without overflow of small types."""
    return (values.to(torch.int64) - zero_point).to(torch.float32) * scale


def factor(multiplier: torch.Tensor | int, shift: torch.Tensor | int) -> float:
    """What ``out_multiplier`` and ``out_shift`` stand for: ``multiplier * 2 ** (shift - 31)``."""
    return integer(multiplier, "out_multiplier") * 2.0 ** (integer(shift, "out_shift") - 31)
