"""Quantization, its inverse, and from one scale to another."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch

from executorch.backends.cadence.reference import arithmetic
from executorch.backends.cadence.reference.arithmetic import integer, number


def quantize_per_tensor(
    input: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: torch.dtype
) -> torch.Tensor:
    """Between ``quant_min`` and ``quant_max``, which the type must hold."""
    return arithmetic.quantized(input, scale, zero_point, dtype, quant_min, quant_max)


def dequantize_per_tensor(
    input: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: torch.dtype
) -> torch.Tensor:
    if input.dtype != dtype:
        raise ValueError(f"Input dtype must match dtype, but they are {input.dtype} and {dtype}")
    return arithmetic.to_floats(input, scale, zero_point)


def dequantize(x: torch.Tensor, scale: torch.Tensor, zero_point: torch.Tensor) -> torch.Tensor:
    return arithmetic.to_floats(x, number(scale, "X_scale"), integer(zero_point, "X_zero_point"))


def of_type(function: Callable[..., torch.Tensor], dtype: torch.dtype) -> Callable[..., torch.Tensor]:
    """The variant whose last argument may only be ``dtype``."""

    @functools.wraps(function)
    def run(*args: object) -> torch.Tensor:
        if args[-1] != dtype:
            raise ValueError(f"dtype must be {dtype}. Got {args[-1]}")
        return function(*args)

    return run


def requantize(
    input: torch.Tensor,
    in_scale: torch.Tensor | float,
    in_zero_point: torch.Tensor | int,
    out_scale: torch.Tensor | float,
    out_zero_point: torch.Tensor | int,
    out_dtype: torch.dtype,
) -> torch.Tensor:
    values = arithmetic.to_floats(
        input, number(in_scale, "in_scale"), integer(in_zero_point, "in_zero_point")
    )
    return arithmetic.to_integers(
        values, number(out_scale, "out_scale"), integer(out_zero_point, "out_zero_point"), out_dtype
    )
