"""Fourier transforms."""

from __future__ import annotations

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    FP,
    TosaValueError,
    empty,
    known,
    operator,
    require_dtype,
    require_extension,
    require_rank,
)


def _checked(op: str, *tensors: torch.Tensor) -> None:
    require_extension(op, "fft")
    for one in tensors:
        require_dtype(op, one.dtype, {torch.float32})
        require_rank(op, one, 3)
        for size in one.shape[1:]:
            if known(size) and size & (size - 1):
                raise TosaValueError(f"a size of {size}; heights and widths are powers of two", op)


def _transformed(
    real: torch.Tensor, imaginary: torch.Tensor, *, inverse: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    value = torch.complex(real, imaginary)
    # TOSA does not divide by the number of elements.
    made = torch.fft.ifft2(value, norm="forward") if inverse else torch.fft.fft2(value)
    return made.real.contiguous(), made.imag.contiguous()


@operator(
    "FFT2D(Tensor input_real, Tensor input_imag, *, bool inverse=False) -> (Tensor, Tensor)", FP, _transformed
)
def _(
    real: torch.Tensor, imaginary: torch.Tensor, *, inverse: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    _checked("FFT2D", real, imaginary)
    pairs = zip(real.shape, imaginary.shape, strict=True)
    if any(known(a) and known(c) and a != c for a, c in pairs):
        raise TosaValueError(f"parts of {tuple(real.shape)} and {tuple(imaginary.shape)}", "FFT2D")
    return empty(real), empty(imaginary, real.shape)


def _real_transformed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    made = torch.fft.rfft2(x)
    return made.real.contiguous(), made.imag.contiguous()


@operator("RFFT2D(Tensor input_real) -> (Tensor, Tensor)", FP, _real_transformed)
def _(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    _checked("RFFT2D", x)
    shape = [x.shape[0], x.shape[1], x.shape[2] // 2 + 1]
    return empty(x, shape), empty(x, shape)
