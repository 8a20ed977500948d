"""Shapes and types of what the operators give, for example values, by name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import torch

from executorch.backends.cadence.ops import window_shapes
from executorch.backends.transforms.shapes import dequantized, quantized

Shapes = Callable[..., Any]


def _like(input: torch.Tensor, *rest: Any, **named: Any) -> torch.Tensor:
    return torch.empty_like(input)


def _itself(input: torch.Tensor, *rest: Any, **named: Any) -> torch.Tensor:
    return input


def _broadcast(x: torch.Tensor, x_scale: Any, x_zero_point: Any, y: torch.Tensor, *rest: Any) -> torch.Tensor:
    return x.new_empty(torch.broadcast_shapes(x.shape, y.shape))


def _linear(src: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    return src.new_empty((*src.shape[:-1], weight.shape[0]))


def _fully_connected(src: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    if len(src.shape) < 2 or any(size != 1 for size in src.shape[:-1]):
        raise ValueError(f"a fully connected layer takes one row, [1, ..., n], not {list(src.shape)}")
    return _linear(src, weight)


def _matmul(
    x: torch.Tensor, x_zero_point: Any, y: torch.Tensor, *rest: Any, transposed: bool = False
) -> torch.Tensor:
    if len(rest) > 5:
        transposed = rest[5]
    if x.shape[:-2] != y.shape[:-2]:
        raise ValueError(f"products of {list(x.shape)} and {list(y.shape)} have different batches")
    return x.new_empty((*x.shape[:-1], y.shape[-2 if transposed else -1]))


def _convolution(channels_last: bool) -> Shapes:
    def convolution(
        input: torch.Tensor,
        weight: torch.Tensor,
        bias: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        *rest: Any,
    ) -> torch.Tensor:
        sizes = window_shapes.convolution(
            input, weight, stride, padding, dilation, channels_last=channels_last
        )
        return input.new_empty(sizes)

    return convolution


def _transposed_convolution(
    input: torch.Tensor,
    weight: torch.Tensor,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    output_padding: Any,
    groups: int,
    channel_last: bool = False,
) -> torch.Tensor:
    sizes = window_shapes.transposed_convolution(
        input, weight, stride, padding, dilation, output_padding, groups, channels_last=channel_last
    )
    return input.new_empty(sizes)


def _quantized_transposed_conv(input: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    # bias, stride, padding, dilation, output_padding, groups; then seven numbers of the quantization.
    bias, stride, padding, dilation, output_padding, groups = rest[:6]
    channel_last = rest[13] if len(rest) > 13 else False
    return _transposed_convolution(
        input, weight, bias, stride, padding, dilation, output_padding, groups, channel_last
    )


def _max_pool2d(channels_last: bool) -> Shapes:
    def max_pool2d(
        input: torch.Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
    ) -> torch.Tensor:
        pool = functools.partial(
            torch.ops.aten.max_pool2d_with_indices.default,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            ceil_mode=ceil_mode,
        )
        return _shape_of_pool(input, pool, channels_last)

    return max_pool2d


def _shape_of_pool(input: torch.Tensor, pool: Shapes, channels_last: bool) -> torch.Tensor:
    """Pools of integers have the shapes of pools of floats, which torch knows."""
    order = input.movedim(-1, 1) if channels_last else input
    pooled = pool(torch.empty_like(order, dtype=torch.float32))
    sizes = list((pooled[0] if isinstance(pooled, tuple) else pooled).shape)
    return input.new_empty([sizes[0], *sizes[2:], sizes[1]] if channels_last else sizes)


def _avg_pool2d(
    input: torch.Tensor,
    kernel_size: Any,
    stride: Any = (),
    padding: Any = (),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    in_zero_point: Any = None,
    channel_last: bool = False,
) -> torch.Tensor:
    pool = functools.partial(
        torch.ops.aten.avg_pool2d.default,
        kernel_size=kernel_size,
        stride=list(stride),
        padding=list(padding) or [0, 0],
        ceil_mode=ceil_mode,
    )
    return _shape_of_pool(input, pool, channel_last)


def _im2row(
    input: torch.Tensor,
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
    in_zero_point: Any,
    channel_last: bool = False,
) -> torch.Tensor:
    return input.new_empty(
        window_shapes.im2row(input, kernel_size, dilation, padding, stride, channels_last=channel_last)
    )


def _transposed_im2row(
    input: torch.Tensor,
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
    output_padding: Any,
    in_zero_point: Any,
    channel_last: bool = False,
) -> torch.Tensor:
    sizes = window_shapes.transposed_im2row(
        input, kernel_size, dilation, padding, stride, output_padding, channels_last=channel_last
    )
    return input.new_empty(sizes)


def _embedding_byte(
    weight: torch.Tensor, scales: torch.Tensor, zero_points: Any, indices: torch.Tensor, *rest: Any
) -> torch.Tensor:
    return scales.new_empty((*indices.shape, weight.shape[1]))


def _w8a32_linear(input: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    return input.new_empty((*input.shape[:-1], weight.shape[1]))


def _w8a32_conv(input: torch.Tensor, weight: torch.Tensor, *rest: Any) -> torch.Tensor:
    """``input`` is ``[n, l, i]``, ``weight`` ``[taps, o, i]``; what comes is ``[n, o, windows]``."""
    taps, outputs, _ = weight.shape
    return input.new_empty((input.shape[0], outputs, input.shape[1] - taps + 1))


def _w8a32_gru(inputs: torch.Tensor, hidden: torch.Tensor, *rest: Any) -> torch.Tensor:
    return inputs.new_empty((2, *inputs.shape[:2], hidden.shape[-1]))


def _roi_align_box_processor(rois: torch.Tensor, *rest: Any) -> torch.Tensor:
    return rois.new_empty((rois.shape[0], 80), dtype=torch.uint8)


def _mask_of_bits(mask: torch.Tensor, threshold: float) -> torch.Tensor:
    if mask.shape[-1] % 8:
        raise ValueError(f"the mask's last dimension is no multiple of 8: {list(mask.shape)}")
    return mask.new_empty((*mask.shape[:-1], mask.shape[-1] // 8), dtype=torch.uint8)


def _where(condition: torch.Tensor, *rest: Any) -> torch.Tensor:
    return dequantized(condition)


def _svd(
    a: torch.Tensor, full_matrices: bool = False, compute_uv: bool = True, driver: str | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    *batch, rows, columns = a.shape
    values = min(rows, columns)
    if not compute_uv:
        return a.new_empty((0,)), a.new_empty((*batch, values)), a.new_empty((0,))
    u = a.new_empty((*batch, rows, rows if full_matrices else values))
    vh = a.new_empty((*batch, columns if full_matrices else values, columns))
    return u, a.new_empty((*batch, values)), vh


#: The name of an operator up to the part that says what it takes -> what it gives; the longest that fits counts.
_SHAPES: Final[dict[str, Shapes]] = {
    "_softmax_f32_f32": _like,
    "avg_pool2d": _avg_pool2d,
    "conv1d": _convolution(False),
    "conv2d": _convolution(False),
    "conv3d": _convolution(False),
    "dequantize": dequantized,
    "fully_connected": _fully_connected,
    "idma_": _like,
    "im2row": _im2row,
    "linalg_svd": _svd,
    "quantize_per_tensor": quantized,
    "quantized_add": _broadcast,
    "quantized_add_Scalar": _like,
    "quantized_conv1d_ncl": _convolution(False),
    "quantized_conv1d_nlc": _convolution(True),
    "quantized_conv2d_depthwise_nhwc": _convolution(True),
    "quantized_conv2d_nchw": _convolution(False),
    "quantized_conv2d_nhwc": _convolution(True),
    "quantized_depthwise_conv1d_ncl": _convolution(False),
    "quantized_depthwise_conv1d_nlc": _convolution(True),
    "quantized_embedding_byte": _embedding_byte,
    "quantized_fully_connected": _fully_connected,
    "quantized_layer_norm": _like,
    "quantized_linear": _linear,
    "quantized_matmul": _matmul,
    "quantized_max_pool2d_nchw": _max_pool2d(False),
    "quantized_max_pool2d_nhwc": _max_pool2d(True),
    "quantized_mul": _broadcast,
    "quantized_mul_Scalar": _like,
    "quantized_relu": _like,
    "quantized_rope_rotate_stacked_halves": _like,
    "quantized_softmax": _like,
    "quantized_transposed_conv": _quantized_transposed_conv,
    "quantized_w8a32_conv": _w8a32_conv,
    "quantized_w8a32_gru": _w8a32_gru,
    "quantized_w8a32_linear": _w8a32_linear,
    "requantize": quantized,
    "roi_align_box_processor": _roi_align_box_processor,
    "rope": _like,
    "sdpa_bitwise_mask_gen": _mask_of_bits,
    "slice_scatter_": _itself,
    "transposed_convolution": _transposed_convolution,
    "transposed_im2row": _transposed_im2row,
    "where_Scalar": _where,
}


def shapes_of(name: str) -> Shapes:
    """What calculates the example value that the operator ``name``, of any variant, gives."""
    return _SHAPES[max((one for one in _SHAPES if name.startswith(one)), key=len)]
