"""Operators on complex numbers by way of their real and imaginary parts, for which there are kernels."""

from collections.abc import Callable
from typing import Any, Final

import torch

_aten = torch.ops.aten


def _full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, **_: Any) -> Any:
    """What spectra are collected in: ``torch.zeros(n, dtype=torch.cfloat)``."""
    wanted = dtype or (torch.get_default_dtype().to_complex() if isinstance(fill_value, complex) else None)
    if wanted is None or not wanted.is_complex:
        return NotImplemented
    number = complex(fill_value)
    real, imaginary = (
        _aten.full.default(size, part, dtype=wanted.to_real(), device=device)
        for part in (number.real, number.imag)
    )
    return _aten.complex.default(real, imaginary)


def _full_like(
    self: torch.Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None, **_: Any
) -> Any:
    return _full(list(self.shape), fill_value, dtype=dtype or self.dtype, device=device or self.device)


def _exp(self: torch.Tensor) -> Any:
    if not self.is_complex():
        return NotImplemented
    parts = torch.view_as_real(self)
    size, angle = torch.exp(parts[..., 0]), parts[..., 1]
    return _aten.complex.default(size * torch.cos(angle), size * torch.sin(angle))


def _constant_pad(self: torch.Tensor, pad: Any, value: Any = 0) -> Any:
    if not self.is_complex():
        return NotImplemented
    number = complex(value)
    parts = torch.view_as_real(self)
    real, imaginary = (
        _aten.constant_pad_nd.default(parts[..., which], pad, part)
        for which, part in enumerate((number.real, number.imag))
    )
    return _aten.complex.default(real, imaginary)


COMPLEX_NUMBERS: Final[dict[str, Callable[..., Any]]] = {
    "aten::constant_pad_nd": _constant_pad,
    "aten::exp": _exp,
    "aten::full": _full,
    "aten::full_like": _full_like,
}

__all__ = ["COMPLEX_NUMBERS"]
