"""Convolutions, pools and ``im2row``: operators with windows over ``[n, c, ...]`` or, with channels last, ``[n, ..., c]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import torch
from torch.nn import functional

from executorch.backends.cadence.ops import window_shapes
from executorch.backends.cadence.reference import arithmetic
from executorch.backends.cadence.reference.arithmetic import integer, number

_CONVOLUTIONS: Final[dict[int, Callable[..., torch.Tensor]]] = {
    1: functional.conv1d,
    2: functional.conv2d,
    3: functional.conv3d,
}

_TRANSPOSED: Final[dict[int, Callable[..., torch.Tensor]]] = {
    1: functional.conv_transpose1d,
    2: functional.conv_transpose2d,
}


def convolution(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> torch.Tensor:
    """Of ``[n, c, ...]``; where a sequence has more numbers than there are dimensions, the last ones count."""
    dimensions = input.dim() - 2
    fitted = [window_shapes.per_dimension(one, dimensions) for one in (stride, padding, dilation)]
    return _CONVOLUTIONS[dimensions](input, weight, bias, *fitted, groups)


def _channels_first(weight: torch.Tensor, dimensions: int) -> torch.Tensor:
    """``[o, taps..., i]``, or ``[taps..., o]`` of depthwise ones, as ``[o, i, taps...]``."""
    if weight.dim() == dimensions + 1:
        return weight.movedim(-1, 0).unsqueeze(1)
    return weight.movedim(-1, 1)


def quantized_convolution(
    *, channels_last: bool, dtype: torch.dtype | None = None
) -> Callable[..., torch.Tensor]:
    """Sums of products of integers, and ``bias`` in their scale, times ``bias_scale / out_scale``.

    Args:
        channels_last: the order of input, weight and output.
        dtype: the only type that the variant takes.
    """

    def run(
        input: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
        input_zero_point: int,
        weight_zero_point: torch.Tensor | int,
        bias_scale: torch.Tensor | float,
        out_scale: float,
        out_zero_point: int,
        out_multiplier: torch.Tensor | int,
        out_shift: torch.Tensor | int,
        offset: torch.Tensor | None = None,
    ) -> torch.Tensor:
        if dtype is not None:
            arithmetic.check_type(input, dtype, "input")
            arithmetic.check_type(weight, dtype, "weight")
        if channels_last:
            weight = _channels_first(weight, input.dim() - 2)
            input = input.movedim(-1, 1)
        values = input.to(torch.float64) - input_zero_point
        taps = weight.to(torch.float64) - integer(weight_zero_point, "weight_zero_point")
        sums = convolution(values, taps, bias.to(torch.float64), stride, padding, dilation, groups).to(
            torch.float32
        )
        scaled = sums * number(bias_scale, "bias_scale")
        made = arithmetic.to_integers(scaled, out_scale, out_zero_point, input.dtype)
        return made.movedim(1, -1).contiguous() if channels_last else made

    return run


def transposed_convolution(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    channel_last: bool = False,
) -> torch.Tensor:
    """``weight`` is ``[outputs / groups, inputs, taps...]`` with its taps in the order of a convolution, the other way round than torch's."""
    if channel_last:
        input, weight = input.movedim(-1, 1), weight.movedim(-1, 1)
    dimensions = input.dim() - 2
    fitted = [window_shapes.per_dimension(one, dimensions) for one in (stride, padding, output_padding)]
    flipped = weight.transpose(0, 1).flip(list(range(2, dimensions + 2)))
    made = _TRANSPOSED[dimensions](
        input, flipped, bias, *fitted, groups, window_shapes.per_dimension(dilation, dimensions)
    )
    return made.movedim(1, -1).contiguous() if channel_last else made


def quantized_transposed_conv(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    input_zero_point: int,
    weight_zero_point: torch.Tensor,
    bias_scale: torch.Tensor,
    out_scale: float,
    out_zero_point: int,
    out_multiplier: torch.Tensor,
    out_shift: torch.Tensor,
    channel_last: bool = False,
) -> torch.Tensor:
    sums = transposed_convolution(
        input.to(torch.float64) - input_zero_point,
        weight.to(torch.float64) - integer(weight_zero_point, "weight_zero_point"),
        bias.to(torch.float64),
        stride,
        padding,
        dilation,
        output_padding,
        groups,
        channel_last,
    ).to(torch.float32)
    return arithmetic.to_integers(
        sums * number(bias_scale, "bias_scale"), out_scale, out_zero_point, input.dtype
    )


def quantized_max_pool2d(*, channels_last: bool) -> Callable[..., torch.Tensor]:
    def run(
        input: torch.Tensor,
        kernel_size: Sequence[int],
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        ceil_mode: bool,
    ) -> torch.Tensor:
        images = (input.movedim(-1, 1) if channels_last else input).to(torch.float32)
        pooled = functional.max_pool2d(
            images, list(kernel_size), list(stride), list(padding), list(dilation), ceil_mode
        ).to(input.dtype)
        return pooled.movedim(1, -1).contiguous() if channels_last else pooled

    return run


def avg_pool2d(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    in_zero_point: torch.Tensor | None = None,
    channel_last: bool = False,
) -> torch.Tensor:
    """``in_zero_point`` is what stands in the padding."""
    images = input.movedim(-1, 1) if channel_last else input
    nothing = 0 if in_zero_point is None else integer(in_zero_point, "in_zero_point")
    pooled = functional.avg_pool2d(
        images.to(torch.float32) - nothing,
        list(kernel_size),
        list(stride) or None,
        list(padding) or 0,
        ceil_mode,
        count_include_pad,
        divisor_override,
    )
    pooled = pooled + nothing
    pooled = (pooled if input.dtype.is_floating_point else pooled.round()).to(input.dtype)
    return pooled.movedim(1, -1).contiguous() if channel_last else pooled


def im2row(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    in_zero_point: torch.Tensor | int | None,
    channel_last: bool = False,
) -> torch.Tensor:
    """``[n, windows, taps]``, the taps in the order ``[c, rows, columns]`` whatever the input's."""
    padded = _padded(_images(input, channel_last), padding, in_zero_point)
    return _rows(padded, kernel_size, dilation, stride).to(input.dtype)


def transposed_im2row(
    input: torch.Tensor,
    kernel_size: Sequence[int],
    dilation: Sequence[int],
    padding: Sequence[int],
    stride: Sequence[int],
    output_padding: Sequence[int],
    in_zero_point: torch.Tensor | None,
    channel_last: bool = False,
) -> torch.Tensor:
    """``im2row`` of the input spread by ``stride``: products with weights are a transposed convolution.

    The taps are in the order of the input, ``[c, rows, columns]`` or ``[rows, columns, c]``.
    """
    images = _images(input, channel_last)
    batch, channels, height, width = images.shape
    spread_height, spread_width = (height - 1) * stride[0] + 1, (width - 1) * stride[1] + 1
    zero = _zero_points(in_zero_point, batch).reshape(-1, 1, 1, 1)
    spread = zero.to(images.dtype).expand(batch, channels, spread_height, spread_width).clone()
    spread[:, :, :: stride[0], :: stride[1]] = images
    borders = [d * (k - 1) - p for d, k, p in zip(dilation, kernel_size, padding, strict=True)]
    padded = _padded(spread, borders, in_zero_point, output_padding)
    rows = _rows(padded, kernel_size, dilation, (1, 1)).to(input.dtype)
    if not channel_last:
        return rows
    return rows.unflatten(-1, (channels, -1)).mT.flatten(-2)


def _images(input: torch.Tensor, channels_last: bool) -> torch.Tensor:
    """``[n, c, height, width]`` as doubles; what has no height has one row."""
    images = (input.movedim(-1, 1) if channels_last else input).to(torch.float64)
    return images.unsqueeze(-2) if images.dim() == 3 else images


def _zero_points(zero_point: torch.Tensor | int | None, batch: int) -> torch.Tensor:
    """One for all inputs of the batch, or one for each."""
    values = torch.as_tensor(0 if zero_point is None else zero_point, dtype=torch.float64).reshape(-1)
    return values if values.numel() == batch else values.expand(batch)


def _padded(
    images: torch.Tensor,
    borders: Sequence[int],
    zero_point: torch.Tensor | int | None,
    behind: Sequence[int] = (0, 0),
) -> torch.Tensor:
    """With ``borders`` rows and columns of the zero point around; fewer than none cut off."""
    zero = _zero_points(zero_point, images.shape[0]).reshape(-1, 1, 1, 1)
    around = (borders[1], borders[1] + behind[1], borders[0], borders[0] + behind[0])
    return functional.pad(images - zero, around) + zero


def _rows(
    padded: torch.Tensor, kernel_size: Sequence[int], dilation: Sequence[int], stride: Sequence[int]
) -> torch.Tensor:
    taps, apart, steps = tuple(kernel_size), tuple(dilation), tuple(stride)
    return functional.unfold(padded, taps, dilation=apart, stride=steps).mT.contiguous()
