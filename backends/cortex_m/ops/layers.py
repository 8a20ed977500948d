"""What the operators with weights calculate: sums of products of integers, in float64, which is exact, then requantized."""

from __future__ import annotations

import torch
from torch.nn import functional

from executorch.backends.cortex_m.ops.arithmetic import finish

_TO_NHWC, _TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


def quantized_linear(
    input: torch.Tensor,
    weights: torch.Tensor,
    bias: torch.Tensor | None,
    kernel_sum: torch.Tensor | None,
    input_offset: int,
    filter_offset: int,
    output_offset: int,
    requantize_multipliers: list[int],
    requantize_shifts: list[int],
    activation_max: int,
    activation_min: int,
) -> torch.Tensor:
    """``input[..., k] @ weights[n, k].T``; ``kernel_sum`` is the bias and the offset times the sums of weights."""
    if filter_offset != 0:
        raise ValueError(f"weights are symmetric: filter_offset is 0, not {filter_offset}")
    offset = 0 if kernel_sum is not None else input_offset
    sums = functional.linear(input.double() + offset, weights.double())
    for constant in (bias, kernel_sum):
        if constant is not None:
            sums = sums + constant.reshape(-1)
    multipliers = torch.tensor(requantize_multipliers, device=input.device)
    shifts = torch.tensor(requantize_shifts, device=input.device)
    return finish(sums.to(torch.int64), multipliers, shifts, output_offset, activation_min, activation_max)


def _finish_images(
    sums: torch.Tensor,
    bias: torch.Tensor | None,
    multipliers: torch.Tensor,
    shifts: torch.Tensor,
    limits: tuple[int, int, int],
) -> torch.Tensor:
    """Images in NHWC of the sums in NCHW."""
    last = sums.permute(_TO_NHWC).to(torch.int64)
    if bias is not None:
        last = last + bias
    return finish(last, multipliers, shifts, *limits).contiguous()


def conv2d_nhwc(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    input_offset: int,
    output_offset: int,
    requantize_multipliers: torch.Tensor,
    requantize_shifts: torch.Tensor,
    activation_min: int,
    activation_max: int,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """``input[n, h, w, i]``, ``weight[o, h, w, i / groups]``, to ``[n, h, w, o]``; the sizes say how many groups there are."""
    images = input.permute(_TO_NCHW).double() + input_offset
    groups = max(input.shape[-1] // max(weight.shape[-1], 1), 1)
    kernel = weight.permute(_TO_NCHW).double()
    sums = functional.conv2d(images, kernel, None, stride, padding, dilation, groups)
    limits = (output_offset, activation_min, activation_max)
    return _finish_images(sums, bias, requantize_multipliers, requantize_shifts, limits)


def depthwise_conv2d_nhwc(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    depth_multiplier: int,
    input_offset: int,
    output_offset: int,
    requantize_multipliers: torch.Tensor,
    requantize_shifts: torch.Tensor,
    activation_min: int,
    activation_max: int,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """``weight[1, h, w, i * depth_multiplier]``: every input channel has outputs of its own."""
    images = input.permute(_TO_NCHW).double() + input_offset
    channels = input.shape[-1]
    if weight.shape[-1] != channels * depth_multiplier:
        raise ValueError(
            f"{channels} channels with {depth_multiplier} outputs each need a weight of "
            f"{channels * depth_multiplier}, not {weight.shape[-1]}"
        )
    kernel = weight.permute(3, 0, 1, 2).double()
    sums = functional.conv2d(images, kernel, None, stride, padding, dilation, channels)
    limits = (output_offset, activation_min, activation_max)
    return _finish_images(sums, bias, requantize_multipliers, requantize_shifts, limits)


def transpose_conv2d_nhwc(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    output_padding: list[int],
    dilation: list[int],
    input_offset: int,
    output_offset: int,
    requantize_multipliers: torch.Tensor,
    requantize_shifts: torch.Tensor,
    activation_min: int,
    activation_max: int,
    scratch: torch.Tensor,
    output_scratch: torch.Tensor,
) -> torch.Tensor:
    """``weight[o, h, w, i]``: a transposed convolution."""
    images = input.permute(_TO_NCHW).double() + input_offset
    kernel = weight.permute(3, 0, 1, 2).double()
    sums = functional.conv_transpose2d(images, kernel, None, stride, padding, output_padding, 1, dilation)
    limits = (output_offset, activation_min, activation_max)
    return _finish_images(sums, bias, requantize_multipliers, requantize_shifts, limits)


def quantized_batch_matmul(
    lhs: torch.Tensor,
    lhs_zero_point: int,
    rhs_transposed: torch.Tensor,
    rhs_zero_point: int,
    output_zero_point: int,
    output_multiplier: int,
    output_shift: int,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """``lhs[b, m, k] @ rhs_transposed[b, n, k].T``; the zero points of the operands are negated, to be added."""
    right = rhs_transposed.double() + rhs_zero_point
    sums = torch.bmm(lhs.double() + lhs_zero_point, right.transpose(1, 2))
    return finish(sums.to(torch.int64), output_multiplier, output_shift, output_zero_point)


__all__ = [
    "conv2d_nhwc",
    "depthwise_conv2d_nhwc",
    "quantized_batch_matmul",
    "quantized_linear",
    "transpose_conv2d_nhwc",
]
