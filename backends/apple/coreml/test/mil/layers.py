"""Layers: convolutions, pooling, norms, products of matrices, resizing, and what compressed weights are made of."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from executorch.backends.apple.coreml.test.mil.elementwise import Operator


def _ints(value: Any, count: int) -> list[int]:
    return [1] * count if value is None else [int(one) for one in value]


def _padding(
    kind: str, pad: Any, sizes: Any, kernel: Any, strides: list[int], dilations: list[int]
) -> list[int]:
    """Before and after each spatial dimension."""
    if kind == "custom":
        return [int(one) for one in pad]
    if kind == "valid":
        return [0] * 2 * len(sizes)
    assert kind in ("same", "same_lower"), kind
    made = []
    for size, extent, step, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // step) - 1) * step + (extent - 1) * dilation + 1 - size, 0)
        made += [total // 2, total - total // 2] if kind == "same" else [total - total // 2, total // 2]
    return made


def _flat(pads: list[int]) -> list[int]:
    """As ``torch.nn.functional.pad`` wants them."""
    return [one for i in range(len(pads) - 2, -1, -2) for one in pads[i : i + 2]]


def _conv(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    strides: Any = None,
    pad_type: str = "valid",
    pad: Any = None,
    dilations: Any = None,
    groups: Any = 1,
) -> torch.Tensor:
    rank = x.dim() - 2
    steps, wide = _ints(strides, rank), _ints(dilations, rank)
    x = F.pad(x, _flat(_padding(pad_type, pad, x.shape[2:], weight.shape[2:], steps, wide)))
    function: Any = (F.conv1d, F.conv2d, F.conv3d)[rank - 1]
    return function(x, weight, bias, steps, 0, wide, int(groups))


def _conv_transpose(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    pad: Any = None,
    output_shape: Any = None,
    pad_type: str = "valid",
    strides: Any = None,
    dilations: Any = None,
    groups: Any = 1,
) -> torch.Tensor:
    rank = x.dim() - 2
    steps, wide = _ints(strides, rank), _ints(dilations, rank)
    function: Any = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
    made = function(x, weight, bias, steps, 0, 0, int(groups), wide)
    pads = [0] * 2 * rank if pad_type == "valid" else [int(one) for one in pad]
    if output_shape is not None:
        # What is asked for may be longer at the end than what the sums reach; there is nothing but the bias.
        for i, size in enumerate([int(one) for one in output_shape][2:]):
            pads[2 * i + 1] = made.shape[2 + i] - pads[2 * i] - size
    made = F.pad(made, _flat([-one for one in pads]))
    if bias is not None and min(pads) < 0:
        filled = F.pad(
            torch.ones_like(function(x, weight, None, steps, 0, 0, int(groups), wide)),
            _flat([-one for one in pads]),
        )
        made = torch.where(filled > 0, made, bias.reshape(1, -1, *[1] * rank))
    return made


def _max_pool(
    x: torch.Tensor,
    kernel_sizes: Any,
    strides: Any = None,
    pad_type: str = "valid",
    pad: Any = None,
    ceil_mode: Any = False,
) -> torch.Tensor:
    kernel = [int(one) for one in kernel_sizes]
    steps = _ints(strides, len(kernel))
    pads = _padding(pad_type, pad, x.shape[2:], kernel, steps, [1] * len(kernel))
    pads = _with_ceil(x.shape[2:], kernel, steps, pads) if bool(ceil_mode) else pads
    x = F.pad(x, _flat(pads), value=float("-inf"))
    function: Any = (F.max_pool1d, F.max_pool2d, F.max_pool3d)[len(kernel) - 1]
    return function(x, kernel, steps)


def _with_ceil(sizes: Any, kernel: list[int], steps: list[int], pads: list[int]) -> list[int]:
    made = list(pads)
    for i, (size, extent, step) in enumerate(zip(sizes, kernel, steps, strict=True)):
        before, after = pads[2 * i : 2 * i + 2]
        rest = (size + before + after - extent) % step
        # A last window begins within the data or what lies before it.
        if rest and (size + before + after - extent) // step * step + step < size + before:
            made[2 * i + 1] += step - rest
    return made


def _avg_pool(
    x: torch.Tensor,
    kernel_sizes: Any,
    strides: Any = None,
    pad_type: str = "valid",
    pad: Any = None,
    exclude_padding_from_average: Any = False,
    ceil_mode: Any = False,
) -> torch.Tensor:
    kernel = [int(one) for one in kernel_sizes]
    steps = _ints(strides, len(kernel))
    pads = _padding(pad_type, pad, x.shape[2:], kernel, steps, [1] * len(kernel))
    wide = _with_ceil(x.shape[2:], kernel, steps, pads) if bool(ceil_mode) else pads
    function: Any = (F.avg_pool1d, F.avg_pool2d, F.avg_pool3d)[len(kernel) - 1]
    made = function(F.pad(x, _flat(wide)), kernel, steps)
    counted = torch.ones_like(x[:1, :1])
    if not bool(exclude_padding_from_average):
        counted = F.pad(counted, _flat(pads), value=1.0)
        wide = [a - b for a, b in zip(wide, pads, strict=True)]
    return made / function(F.pad(counted, _flat(wide)), kernel, steps)


def _linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    return F.linear(x, weight, bias)


def _matmul(
    x: torch.Tensor, y: torch.Tensor, transpose_x: Any = False, transpose_y: Any = False
) -> torch.Tensor:
    return torch.matmul(x.mT if bool(transpose_x) else x, y.mT if bool(transpose_y) else y)


def _channels(x: torch.Tensor, value: torch.Tensor | None, other: float) -> torch.Tensor:
    if value is None:
        return torch.full([], other, dtype=x.dtype)
    return value.reshape([1, -1] + [1] * (x.dim() - 2))


def _batch_norm(
    x: torch.Tensor,
    mean: torch.Tensor,
    variance: torch.Tensor,
    gamma: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    epsilon: Any = 1e-5,
) -> torch.Tensor:
    scale = torch.rsqrt(_channels(x, variance, 1.0) + epsilon) * _channels(x, gamma, 1.0)
    return (x - _channels(x, mean, 0.0)) * scale + _channels(x, beta, 0.0)


def _instance_norm(
    x: torch.Tensor, gamma: torch.Tensor | None = None, beta: torch.Tensor | None = None, epsilon: Any = 1e-5
) -> torch.Tensor:
    return F.instance_norm(x, weight=gamma, bias=beta, eps=float(epsilon))


def _layer_norm(
    x: torch.Tensor,
    axes: Any = None,
    gamma: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    epsilon: Any = 1e-5,
) -> torch.Tensor:
    dims = list(range(x.dim())) if axes is None else [int(one) for one in axes]
    variance, mean = torch.var_mean(x, dims, correction=0, keepdim=True)
    made = (x - mean) * torch.rsqrt(variance + epsilon)
    return made * (1 if gamma is None else gamma) + (0 if beta is None else beta)


def _attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor | None = None
) -> torch.Tensor:
    return F.scaled_dot_product_attention(query, key, value, attn_mask)


def _crop(x: torch.Tensor, crop_height: Any, crop_width: Any) -> torch.Tensor:
    (top, bottom), (left, right) = ([int(one) for one in pair] for pair in (crop_height, crop_width))
    return x[..., top : x.shape[-2] - bottom, left : x.shape[-1] - right]


def _scaled(x: torch.Tensor, scale_factor_height: Any, scale_factor_width: Any) -> list[int]:
    return [
        int(x.shape[-2] * float(scale_factor_height) + 1e-4),
        int(x.shape[-1] * float(scale_factor_width) + 1e-4),
    ]


def _upsample_bilinear(
    x: torch.Tensor,
    scale_factor_height: Any = 1,
    scale_factor_width: Any = 1,
    align_corners: Any = True,
    half_pixel_centers: Any = None,
) -> torch.Tensor:
    corners = bool(align_corners)
    assert half_pixel_centers is None or bool(half_pixel_centers) != corners
    size = _scaled(x, scale_factor_height, scale_factor_width)
    return F.interpolate(x, size, mode="bilinear", align_corners=corners)


def _upsample_nearest(
    x: torch.Tensor, scale_factor_height: Any = 1, scale_factor_width: Any = 1
) -> torch.Tensor:
    return F.interpolate(x, _scaled(x, scale_factor_height, scale_factor_width))


def _resize_bilinear(
    x: torch.Tensor,
    target_size_height: Any = 1,
    target_size_width: Any = 1,
    sampling_mode: str = "DEFAULT",
) -> torch.Tensor:
    corners = {"STRICT_ALIGN_CORNERS": True, "UNALIGN_CORNERS": False}[sampling_mode]
    size = [int(target_size_height), int(target_size_width)]
    return F.interpolate(x, size, mode="bilinear", align_corners=corners)


def _resize_nearest(x: torch.Tensor, target_size_height: Any, target_size_width: Any) -> torch.Tensor:
    return F.interpolate(x, [int(target_size_height), int(target_size_width)])


def _per_axis(x: torch.Tensor, value: torch.Tensor | None, axis: Any) -> Any:
    if value is None or value.dim() == 0:
        return 0 if value is None else value.float()
    shape = [1] * x.dim()
    shape[int(axis)] = -1
    return value.float().reshape(shape)


def _quantize(
    input: torch.Tensor, scale: torch.Tensor, output_dtype: str, zero_point: Any = None, axis: Any = 0
) -> torch.Tensor:
    low, high = (-128, 127) if output_dtype == "int8" else (0, 255)
    made = torch.round(input.float() / _per_axis(input, scale, axis)) + _per_axis(input, zero_point, axis)
    return made.clamp(low, high).to(getattr(torch, output_dtype))


def _dequantize(
    input: torch.Tensor, scale: torch.Tensor, zero_point: Any = None, axis: Any = 0
) -> torch.Tensor:
    made = (input.float() - _per_axis(input, zero_point, axis)) * _per_axis(input, scale, axis)
    return made.to(scale.dtype)


def _affine(
    quantized_data: torch.Tensor, zero_point: torch.Tensor, scale: torch.Tensor, axis: Any
) -> torch.Tensor:
    return _dequantize(quantized_data, scale, zero_point, axis)


def _repeated(value: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    for dim, size in enumerate(shape):
        value = value.repeat_interleave(size // value.shape[dim], dim)
    return value


def _blockwise(data: torch.Tensor, scale: torch.Tensor, offset: torch.Tensor | None = None) -> torch.Tensor:
    shift = 0 if offset is None else _repeated(offset, data.shape).float()
    return ((data.float() - shift) * _repeated(scale, data.shape).float()).to(scale.dtype)


def _lut_to_dense(indices: torch.Tensor, lut: torch.Tensor, vector_axis: Any = None) -> torch.Tensor:
    assert lut.shape[-1] == 1, "vectors in tables"
    tables = lut[..., 0]
    for dim, size in enumerate(indices.shape):
        tables = tables.repeat_interleave(size // tables.shape[dim], dim)
    return tables.gather(-1, indices.long().unsqueeze(-1)).squeeze(-1)


OPERATORS: dict[str, Operator] = {
    "avg_pool": _avg_pool,
    "batch_norm": _batch_norm,
    "constexpr_affine_dequantize": _affine,
    "constexpr_blockwise_shift_scale": _blockwise,
    "constexpr_lut_to_dense": _lut_to_dense,
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "crop": _crop,
    "dequantize": _dequantize,
    "einsum": lambda values, equation: torch.einsum(equation, *values),
    "instance_norm": _instance_norm,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "matmul": _matmul,
    "max_pool": _max_pool,
    "quantize": _quantize,
    "resize_bilinear": _resize_bilinear,
    "resize_nearest_neighbor": _resize_nearest,
    "scaled_dot_product_attention": _attention,
    "upsample_bilinear": _upsample_bilinear,
    "upsample_nearest_neighbor": _upsample_nearest,
}
