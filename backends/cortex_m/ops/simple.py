"""What the operators without weights calculate."""

from __future__ import annotations

import torch
from torch.nn import functional

from executorch.backends.cortex_m.ops.arithmetic import finish, requantize

#: Bits that operands of sums get below the point.
SUM_BITS = {torch.int8: 20, torch.int16: 15}


def quantize_per_tensor(
    input: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: torch.dtype
) -> torch.Tensor:
    rounded = torch.round(input * (1.0 / scale)) + zero_point
    return rounded.clamp(quant_min, quant_max).to(dtype)


def dequantize_per_tensor(
    input: torch.Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: torch.dtype
) -> torch.Tensor:
    return (input.to(torch.float32) - zero_point) * scale


def quantized_add(
    self: torch.Tensor,
    self_zero_point: int,
    self_multiplier: int,
    self_shift: int,
    other: torch.Tensor,
    other_zero_point: int,
    other_multiplier: int,
    other_shift: int,
    output_zero_point: int,
    output_multiplier: int,
    output_shift: int,
    activation_min: int,
    activation_max: int,
) -> torch.Tensor:
    """Both operands get bits below the point and half of the coarser scale, where they are added."""
    bits = SUM_BITS[self.dtype]
    left = requantize((self.to(torch.int64) - self_zero_point) << bits, self_multiplier, self_shift)
    right = requantize((other.to(torch.int64) - other_zero_point) << bits, other_multiplier, other_shift)
    limits = (output_zero_point, activation_min, activation_max)
    return finish(left + right, output_multiplier, output_shift, *limits, dtype=self.dtype)


def quantized_mul(
    self: torch.Tensor,
    self_zero_point: int,
    other: torch.Tensor,
    other_zero_point: int,
    output_zero_point: int,
    output_multiplier: int,
    output_shift: int,
) -> torch.Tensor:
    product = (self.to(torch.int64) - self_zero_point) * (other.to(torch.int64) - other_zero_point)
    range = torch.iinfo(self.dtype)
    return finish(
        product, output_multiplier, output_shift, output_zero_point, range.min, range.max, dtype=self.dtype
    )


def quantized_div(
    self: torch.Tensor,
    self_zero_point: int,
    other: torch.Tensor,
    other_zero_point: int,
    output_zero_point: int,
    output_scale: float,
) -> torch.Tensor:
    """Quotients in float32, times ``output_scale``, halves to even; zero where the divisor is zero. Shapes are equal, as published."""
    if self.shape != other.shape:
        raise ValueError(f"a quotient is that of equal shapes, not {self.shape} and {other.shape}")
    range = torch.iinfo(self.dtype)
    divisor = other.to(torch.float32) - other_zero_point
    quotient = (self.to(torch.float32) - self_zero_point) / divisor * output_scale
    rounded = torch.where(divisor == 0, 0.0, torch.round(quotient))
    return (rounded + output_zero_point).clamp(range.min, range.max).to(self.dtype)


def minimum(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.minimum(self, other)


def maximum(self: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return torch.maximum(self, other)


def quantized_activation(input: torch.Tensor, lut: torch.Tensor) -> torch.Tensor:
    """The entry of each integer; that of -128 is the first."""
    # As the input lies in memory.
    return torch.empty_like(input).copy_(lut[input.to(torch.int64) + 128])


def transpose(input: torch.Tensor, perm: list[int]) -> torch.Tensor:
    return input.permute(perm).contiguous()


def pad(input: torch.Tensor, pre_pad: list[int], post_pad: list[int], pad_value: int) -> torch.Tensor:
    """Paddings are those of four dimensions; the last ones are the input's."""
    pairs = list(zip(pre_pad, post_pad, strict=True))
    if len(pairs) != 4 or input.dim() > 4 or any(pair != (0, 0) for pair in pairs[: 4 - input.dim()]):
        raise ValueError("paddings are given for four dimensions, and are 0 where the input has none")
    from_last = [size for pair in reversed(pairs[4 - input.dim() :]) for size in pair]
    return functional.pad(input, from_last, value=pad_value)


def max_pool2d_nhwc(
    input: torch.Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    input_zero_point: int,
    output_zero_point: int,
    activation_min: int,
    activation_max: int,
) -> torch.Tensor:
    images = input.permute(0, 3, 1, 2).to(torch.float32)
    most = functional.max_pool2d(images, kernel_size, stride or kernel_size, padding, dilation, ceil_mode)
    return most.clamp(activation_min, activation_max).to(torch.int8).permute(0, 2, 3, 1).contiguous()


def avg_pool2d_nhwc(
    input: torch.Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    ceil_mode: bool,
    zero_point: int,
    multiplier: int,
    shift: int,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """Means of what lies inside the image, halves away from zero; scale and zero point stay, so that the factor has no part."""
    images = input.permute(0, 3, 1, 2).double()

    def summed(values: torch.Tensor) -> torch.Tensor:
        args = (kernel_size, stride or kernel_size, padding, ceil_mode, True, 1)
        return functional.avg_pool2d(values, *args).to(torch.int64)

    sums, counts = summed(images), summed(torch.ones_like(images))
    half = torch.where(sums > 0, counts // 2, -(counts // 2))
    means = torch.div(sums + half, counts.clamp(min=1), rounding_mode="trunc")
    return means.to(torch.int8).permute(0, 2, 3, 1).contiguous()


__all__ = [
    "SUM_BITS",
    "avg_pool2d_nhwc",
    "dequantize_per_tensor",
    "max_pool2d_nhwc",
    "maximum",
    "minimum",
    "pad",
    "quantize_per_tensor",
    "quantized_activation",
    "quantized_add",
    "quantized_div",
    "quantized_mul",
    "transpose",
]
