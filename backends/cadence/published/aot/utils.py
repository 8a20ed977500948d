"""Sizes of what convolutions give, under the names of released versions."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from executorch.backends.cadence.ops import window_shapes
from executorch.backends.transforms.shapes import output_size


def is_depthwise_conv(groups: int, in_channels: int) -> bool:
    """Whether each channel is a group of its own; a single channel is no group."""
    return groups == in_channels and in_channels > 1


def get_conv1d_output_size(
    in_size: torch.Size,
    out_channels: int,
    stride: int,
    padding: int,
    dilation: int,
    kernel_size: int,
    channel_last: bool,
) -> torch.Size:
    """Of ``[n, c, l]``, or ``[n, l, c]`` with ``channel_last``."""
    return _size(in_size, out_channels, [(kernel_size, stride, padding, dilation)], channel_last)


def get_conv2d_output_size(
    in_size: torch.Size,
    out_channels: int,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    kernel_size: Sequence[int],
    channel_last: bool,
) -> torch.Size:
    """Of ``[n, c, h, w]``, or ``[n, h, w, c]`` with ``channel_last``."""
    windows = list(zip(kernel_size, stride, padding, dilation, strict=True))
    return _size(in_size, out_channels, windows, channel_last)


def get_im2row_output_size(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    channel_last: bool,
) -> torch.Size:
    """``[n, windows, taps]``."""
    sizes = window_shapes.im2row(input, kernel_size, dilation, padding, stride, channels_last=channel_last)
    return torch.Size(sizes)


def _size(
    in_size: Sequence[int], channels: int, windows: Sequence[tuple[int, int, int, int]], channel_last: bool
) -> torch.Size:
    sizes = window_shapes.images(in_size, channel_last)
    spatial = [output_size(size, *one) for size, one in zip(sizes, windows, strict=True)]
    return torch.Size(window_shapes.batch_of(in_size[0], channels, spatial, channel_last))
