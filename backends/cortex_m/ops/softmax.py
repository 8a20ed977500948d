"""Softmax of int8 on integers, as gemmlowp and CMSIS-NN calculate it."""

from __future__ import annotations

import math

import torch

from executorch.backends.cortex_m.ops.arithmetic import divide_by_power, quantize_multiplier

_MOST, _LEAST = (1 << 31) - 1, -(1 << 31)
_DIFFERENCE_BITS, _SUM_BITS = 5, 12
#: e^(-1/4), e^(-1/2), e^-1 ... e^-16 with 31 fractional bits.
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
#: e^(-1/8) and a third; 48/17 and -32/17 with 29 fractional bits.
_EXP_MINUS_EIGHTH, _THIRD = 1895147668, 715827883
_48_OF_17, _MINUS_32_OF_17 = 1515870810, -1010580540


def softmax_parameters(scale: float) -> tuple[int, int, int]:
    """Multiplier, shift and least difference for an input of this scale."""
    multiplier, shift = quantize_multiplier(min(scale * 2.0 ** (31 - _DIFFERENCE_BITS), float(_MOST)))
    if shift < 0:
        # Smaller scales than kernels know: every difference is as good as none.
        multiplier, shift = multiplier >> min(-shift, 31), 0
    radius = ((1 << _DIFFERENCE_BITS) - 1) * (1 << (31 - _DIFFERENCE_BITS)) / (1 << shift)
    return multiplier, shift, -math.floor(radius)


def _product(a: torch.Tensor, b: torch.Tensor | int) -> torch.Tensor:
    exact = a * b
    nudge = torch.where(exact >= 0, 1 << 30, 1 - (1 << 30))
    # Truncated towards zero.
    return torch.div(exact + nudge, 1 << 31, rounding_mode="trunc")


def _shifted(values: torch.Tensor, exponent: int) -> torch.Tensor:
    return (values << exponent).clamp(_LEAST, _MOST)


def _exp_of_fraction(a: torch.Tensor) -> torch.Tensor:
    x = a + (1 << 28)
    x2 = _product(x, x)
    x3 = _product(x2, x)
    x4_of_4 = divide_by_power(_product(x2, x2), 2)
    rest = divide_by_power(_product(x4_of_4 + x3, _THIRD) + x2, 1)
    return (_EXP_MINUS_EIGHTH + _product(x + rest, _EXP_MINUS_EIGHTH)).clamp(_LEAST, _MOST)


def _exp(a: torch.Tensor) -> torch.Tensor:
    quarter = 1 << (31 - _DIFFERENCE_BITS - 2)
    fraction = (a & (quarter - 1)) - quarter
    result = _exp_of_fraction(_shifted(fraction, _DIFFERENCE_BITS))
    rest = fraction - a
    for bit, power in enumerate(_POWERS):
        result = torch.where((rest & (quarter << bit)) != 0, _product(result, power), result)
    return torch.where(a == 0, _MOST, result)


def _reciprocal(a: torch.Tensor) -> torch.Tensor:
    half = (a + (1 << 31)) >> 1
    x = _48_OF_17 + _product(half, _MINUS_32_OF_17)
    for _ in range(3):
        x = x + _shifted(_product(x, (1 << 29) - _product(half, x)), 2)
    return _shifted(x, 1)


def softmax(
    input: torch.Tensor,
    dim: int,
    input_zero_point: int,
    output_zero_point: int,
    input_multiplier: int,
    input_shift: int,
    diff_min: int,
) -> torch.Tensor:
    """Along the last dimension; the output has the scale 1/256 and the zero point -128."""
    if dim not in (-1, input.dim() - 1) or output_zero_point != -128:
        raise ValueError("softmax works along the last dimension and gives the zero point -128")
    values = input.to(torch.int64)
    difference = values - values.amax(-1, keepdim=True)
    counts = difference >= diff_min
    exp = _exp(_product(difference << input_shift, input_multiplier))
    total = torch.where(counts, divide_by_power(exp, _SUM_BITS), 0).sum(-1, keepdim=True)
    # Shifted until the highest of 32 bits is set.
    headroom = 31 - torch.log2(total.double()).floor().to(torch.int64)
    inverse = _reciprocal((total << headroom) - (1 << 31))
    bits = _SUM_BITS - headroom + 31 - 8
    part = torch.where(bits > 31, 0, divide_by_power(_product(exp, inverse), bits.clamp(max=31)))
    return torch.where(counts, (part - 128).clamp(-128, 127), -128).to(torch.int8)


__all__ = ["softmax", "softmax_parameters"]
