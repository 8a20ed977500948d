"""Shapes, types and order in memory of what the operators give, for example values.

From these, and not from the calculations, since some of torch's operators put numbers in place of a program's symbols when they are
called on example values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from executorch.backends.transforms.shapes import dequantized as dequantize_per_tensor
from executorch.backends.transforms.shapes import output_size, transposed_size
from executorch.backends.transforms.shapes import quantized as quantize_per_tensor


def _made(like: torch.Tensor, *sizes: Any) -> torch.Tensor:
    return like.new_empty(sizes)


def elementwise(input: torch.Tensor, *rest: Any) -> torch.Tensor:
    return torch.empty_like(input)


def broadcast(self: torch.Tensor, *rest: Any) -> torch.Tensor:
    (other,) = (one for one in rest if isinstance(one, torch.Tensor))
    return torch.add(self, other)


def transpose(input: torch.Tensor, perm: list[int]) -> torch.Tensor:
    return _made(input, *(input.shape[dim] for dim in perm))


def pad(input: torch.Tensor, pre_pad: list[int], post_pad: list[int], pad_value: int) -> torch.Tensor:
    added = [sum(pair) for pair in zip(pre_pad, post_pad, strict=True)][4 - input.dim() :]
    made = _made(input, *map(operator.add, input.shape, added))
    last = torch.channels_last
    if input.dim() == 4 and not input.is_contiguous() and input.is_contiguous(memory_format=last):
        return made.contiguous(memory_format=last)
    return made


def linear(input: torch.Tensor, weights: torch.Tensor, *rest: Any) -> torch.Tensor:
    return _made(input, *input.shape[:-1], weights.shape[0])


def batch_matmul(lhs: torch.Tensor, lhs_zero_point: int, rhs: torch.Tensor, *rest: Any) -> torch.Tensor:
    return _made(lhs, *lhs.shape[:2], rhs.shape[1])


def _pair(values: list[int]) -> list[int]:
    return [values[0], values[-1]]


def _conv2d_nhwc(outputs: int) -> Callable[..., torch.Tensor]:
    """Of a weight whose dimension ``outputs`` has the channels of what is given."""

    def conv(
        input: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None,
        stride: list[int],
        padding: list[int],
        dilation: list[int],
        *rest: Any,
    ) -> torch.Tensor:
        geometry = map(_pair, (stride, padding, dilation))
        sizes = map(output_size, input.shape[1:3], weight.shape[1:3], *geometry)
        return _made(input, input.shape[0], *sizes, weight.shape[outputs])

    return conv


conv2d_nhwc = _conv2d_nhwc(outputs=0)
depthwise_conv2d_nhwc = _conv2d_nhwc(outputs=3)


def transpose_conv2d_nhwc(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    output_padding: list[int],
    dilation: list[int],
    *rest: Any,
) -> torch.Tensor:
    geometry = map(_pair, (stride, padding, dilation, output_padding))
    sizes = map(transposed_size, input.shape[1:3], weight.shape[1:3], *geometry)
    return _made(input, input.shape[0], *sizes, weight.shape[0])


def _pooled(input: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
    batch, channels, *sizes = pooled.shape
    return _made(input, batch, *sizes, channels)


def _image(input: torch.Tensor) -> torch.Tensor:
    """In PyTorch's order, of a type that its pools have."""
    batch, height, width, channels = input.shape
    return input.new_empty((batch, channels, height, width), dtype=torch.float32)


def max_pool2d_nhwc(
    input: torch.Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    ceil_mode: bool,
    *rest: Any,
) -> torch.Tensor:
    args = (kernel_size, stride or kernel_size, padding, dilation, ceil_mode)
    return _pooled(input, functional.max_pool2d(_image(input), *args))


def avg_pool2d_nhwc(
    input: torch.Tensor,
    kernel_size: list[int],
    stride: list[int],
    padding: list[int],
    ceil_mode: bool,
    *rest: Any,
) -> torch.Tensor:
    args = (kernel_size, stride or kernel_size, padding, ceil_mode)
    return _pooled(input, functional.avg_pool2d(_image(input), *args))


__all__ = [
    "avg_pool2d_nhwc",
    "batch_matmul",
    "broadcast",
    "conv2d_nhwc",
    "depthwise_conv2d_nhwc",
    "dequantize_per_tensor",
    "elementwise",
    "linear",
    "max_pool2d_nhwc",
    "pad",
    "quantize_per_tensor",
    "transpose",
    "transpose_conv2d_nhwc",
]
