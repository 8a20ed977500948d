"""Fake quantization as arithmetic: what training for few bits leaves in a model that was not converted."""

import ctypes
from collections.abc import Callable
from typing import Any, Final

import torch

_Pair = tuple[torch.Tensor, torch.Tensor]


def _round_trip(self: torch.Tensor, scale: Any, inverse: Any, zero_point: Any, low: int, high: int) -> _Pair:
    """The numbers that the integers from ``low`` to ``high`` stand for, and where no limit was in the way."""
    wide = self if self.dtype == torch.float64 else self.to(torch.float32)
    is_fraction = isinstance(zero_point, torch.Tensor) and zero_point.is_floating_point()
    levels = torch.round(wide * inverse + (zero_point if is_fraction else 0))
    if not is_fraction:
        levels = levels + zero_point
    kept = torch.logical_and(levels >= low, levels <= high)
    # What is no number becomes the least.
    levels = torch.where(torch.isnan(levels), low, levels)
    return ((levels.clamp(low, high) - zero_point) * scale).to(self.dtype), kept


def _per_tensor(self: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> _Pair:
    # Eager has single precision for the scale and for what it multiplies by, and the last bit depends on it.
    single = ctypes.c_float(scale).value
    inverse = ctypes.c_float(1 / single).value
    return _round_trip(self, single, inverse, zero_point, quant_min, quant_max)


def _by_tensors(
    self: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor,
    fake_quant_enabled: torch.Tensor,
    quant_min: int,
    quant_max: int,
) -> _Pair:
    whole = zero_point.to(torch.int64)
    found, kept = _round_trip(self, scale, 1 / scale, whole, quant_min, quant_max)
    enabled = fake_quant_enabled != 0
    return torch.where(enabled, found, self), torch.logical_or(kept, torch.logical_not(enabled))


def _per_channel(
    self: torch.Tensor,
    scale: torch.Tensor,
    zero_point: torch.Tensor,
    axis: int,
    quant_min: int,
    quant_max: int,
) -> _Pair:
    places = [1] * self.dim()
    places[axis] = -1
    scale = scale.reshape(places)
    return _round_trip(self, scale, 1 / scale, zero_point.reshape(places), quant_min, quant_max)


FAKE_QUANTIZE: Final[dict[str, Callable[..., Any]]] = {
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": _by_tensors,
    "aten::fake_quantize_per_channel_affine_cachemask": _per_channel,
    "aten::fake_quantize_per_tensor_affine_cachemask": _per_tensor,
}

__all__ = ["FAKE_QUANTIZE"]
