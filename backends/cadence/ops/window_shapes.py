"""Sizes of what operators with windows give: convolutions, pools and ``im2row``, with numbers or symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.transforms.shapes import Size, output_size, transposed_size


def images(sizes: Sequence[Size], channels_last: bool) -> list[Size]:
    """The sizes of heights and widths among ``[n, c, ...]`` or ``[n, ..., c]``."""
    return list(sizes[1:-1] if channels_last else sizes[2:])


def batch_of(n: Size, c: Size, spatial: Sequence[Size], channels_last: bool) -> list[Size]:
    """``[n, ..., c]`` or ``[n, c, ...]``."""
    return [n, *spatial, c] if channels_last else [n, c, *spatial]


def per_dimension(values: Sequence[Any], dimensions: int) -> list[Any]:
    """One value for each of the last dimensions; a single one is for all of them."""
    return list(values) * dimensions if len(values) == 1 else list(values)[-dimensions:]


def _windows(sizes: Sequence[Size], taps: Sequence[Size], *arguments: Sequence[Any]) -> list[Size]:
    fitted = [per_dimension(one, len(sizes)) for one in arguments]
    return [output_size(size, *rest) for size, *rest in zip(sizes, taps, *fitted, strict=True)]


def convolution(
    input: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[Size],
    dilation: Sequence[int],
    *,
    channels_last: bool,
) -> list[Size]:
    """``weight`` is ``[o, i, taps...]``, with channels last ``[o, taps..., i]``, or ``[taps..., o]`` for depthwise ones."""
    depthwise = weight.dim() < input.dim()
    taps = weight.shape[:-1] if depthwise else images(weight.shape, channels_last)
    spatial = _windows(images(input.shape, channels_last), taps, stride, padding, dilation)
    return batch_of(input.shape[0], weight.shape[-1 if depthwise else 0], spatial, channels_last)


def transposed_convolution(
    input: torch.Tensor,
    weight: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[Size],
    dilation: Sequence[int],
    output_padding: Sequence[Size],
    groups: int,
    *,
    channels_last: bool,
) -> list[Size]:
    """``weight`` is ``[o / groups, i, taps...]``, with channels last ``[o / groups, taps..., i]``."""
    sizes = images(input.shape, channels_last)
    fitted = [per_dimension(one, len(sizes)) for one in (stride, padding, dilation, output_padding)]
    taps = images(weight.shape, channels_last)
    spatial = [transposed_size(size, *rest) for size, *rest in zip(sizes, taps, *fitted, strict=True)]
    return batch_of(input.shape[0], weight.shape[0] * groups, spatial, channels_last)


def im2row(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    *,
    channels_last: bool,
) -> list[Size]:
    """``[n, windows, taps]``; an input without width is ``[n, c, l]`` or ``[n, l, c]``, with windows of one row."""
    sizes = images(input.shape, channels_last)
    sizes = [1, *sizes] if len(sizes) == 1 else sizes
    rows, columns = _windows(sizes, kernel_size, stride, padding, dilation)
    channels = input.shape[-1 if channels_last else 1]
    return [input.shape[0], rows * columns, kernel_size[0] * kernel_size[1] * channels]


def transposed_im2row(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    output_padding: Sequence[int],
    *,
    channels_last: bool,
) -> list[Size]:
    """``[n, outputs of the transposed convolution, taps]``."""
    sizes = images(input.shape, channels_last)
    sizes = [1, *sizes] if len(sizes) == 1 else sizes
    made = [
        transposed_size(*one)
        for one in zip(sizes, kernel_size, stride, padding, dilation, output_padding, strict=True)
    ]
    channels = input.shape[-1 if channels_last else 1]
    return [input.shape[0], made[0] * made[1], kernel_size[0] * kernel_size[1] * channels]
