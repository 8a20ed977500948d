"""What layers of int16 by int8 calculate: activations are symmetric, sums have 64 bits. Operators of this library alone."""

from __future__ import annotations

import torch
from torch.nn import functional

from executorch.backends.cortex_m.ops.arithmetic import finish_wide


def linear_int16(
    input: torch.Tensor,
    weights: torch.Tensor,
    bias: torch.Tensor | None,
    requantize_multipliers: torch.Tensor,
    requantize_shifts: torch.Tensor,
    activation_min: int,
    activation_max: int,
) -> torch.Tensor:
    """``input[..., k] @ weights[n, k].T``, with a factor for each output."""
    sums = functional.linear(input.double(), weights.double()).to(torch.int64)
    if bias is not None:
        sums = sums + bias
    return finish_wide(sums, requantize_multipliers, requantize_shifts, activation_min, activation_max)


def conv2d_int16_nhwc(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    requantize_multipliers: torch.Tensor,
    requantize_shifts: torch.Tensor,
    activation_min: int,
    activation_max: int,
    scratch: torch.Tensor,
) -> torch.Tensor:
    """``input[n, h, w, i]``, ``weight[o, h, w, i / groups]``, to ``[n, h, w, o]``; the sizes say how many groups there are."""
    images, kernel = (one.permute(0, 3, 1, 2).double() for one in (input, weight))
    groups = max(input.shape[-1] // max(weight.shape[-1], 1), 1)
    sums = functional.conv2d(images, kernel, None, stride, padding, dilation, groups)
    last = sums.permute(0, 2, 3, 1).to(torch.int64)
    if bias is not None:
        last = last + bias
    limits = (activation_min, activation_max)
    return finish_wide(last, requantize_multipliers, requantize_shifts, *limits).contiguous()


__all__ = ["conv2d_int16_nhwc", "linear_int16"]
