"""Layers on integers: products of matrices, norms, softmax, embeddings; and layers whose weights alone are integers."""

from __future__ import annotations

import torch
from torch.nn import functional

from executorch.backends.cadence.reference import arithmetic
from executorch.backends.cadence.reference.arithmetic import integer, number


def quantized_linear(
    src: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    src_zero_point: int,
    weight_zero_point: torch.Tensor | int,
    out_multiplier: torch.Tensor | int,
    out_shift: torch.Tensor | int,
    out_zero_point: int,
    offset: torch.Tensor | None = None,
) -> torch.Tensor:
    """Sums of products of integers, and ``bias`` in their scale, times ``arithmetic.factor``.

    ``weight`` is ``[outputs, inputs]``. ``offset``, the zero point's part of the sums, is for kernels that have it beforehand.
    """
    left = src.to(torch.int64) - src_zero_point
    sums = left @ (weight.to(torch.int64) - weight_zero_point).mT + bias
    scale = 1.0 / arithmetic.factor(out_multiplier, out_shift)
    return arithmetic.to_integers(sums.to(torch.float32), scale, out_zero_point, src.dtype)


def quantized_fully_connected(src: torch.Tensor, weight: torch.Tensor, *rest: object) -> torch.Tensor:
    """A linear layer of one row."""
    if src.shape[0] != 1:
        raise ValueError("Fully connected quantized linear only supports batch size of 1")
    return quantized_linear(src, weight, *rest)  # type: ignore[arg-type]


def quantized_matmul(
    x: torch.Tensor,
    x_zero_point: int,
    y: torch.Tensor,
    y_zero_point: int,
    bias: torch.Tensor | None,
    out_multiplier: int,
    out_shift: int,
    out_zero_point: int,
    transposed: bool = False,
) -> torch.Tensor:
    """``y`` is ``[..., inputs, outputs]``, or ``[..., outputs, inputs]`` if it is transposed already."""
    if bias is not None and bias.any():
        raise ValueError("bias must be None or all zeros since unused in out variant")
    columns = y if transposed else y.mT
    nothing = torch.zeros((), dtype=torch.int32)
    return quantized_linear(
        x, columns, nothing, x_zero_point, y_zero_point, out_multiplier, out_shift, out_zero_point
    )


def quantized_layer_norm(
    x: torch.Tensor,
    x_scale: torch.Tensor | float,
    x_zero_point: torch.Tensor | int,
    normalized_shape: list[int],
    weight: torch.Tensor,
    bias: torch.Tensor,
    eps: float,
    output_scale: float,
    output_zero_point: int,
) -> torch.Tensor:
    if x.dtype not in (torch.int8, torch.uint8):
        raise ValueError(f"Input dtype must be one of [torch.int8, torch.uint8]. Got {x.dtype}")
    values = arithmetic.to_floats(x, number(x_scale, "X_scale"), integer(x_zero_point, "X_zero_point"))
    normed = functional.layer_norm(values, normalized_shape, weight, bias, eps)
    return arithmetic.to_integers(normed, output_scale, output_zero_point, x.dtype)


def quantized_softmax(
    input: torch.Tensor,
    mask: torch.Tensor | None,
    dim: int,
    mask_type: int,
    pos: torch.Tensor,
    in_scale: torch.Tensor | float,
    in_zero_point: torch.Tensor | int,
    out_scale: torch.Tensor | float,
    out_zero_point: torch.Tensor | int,
) -> torch.Tensor:
    if mask_type != 0:
        raise ValueError(f"Only mask_type=0 (no masking) is supported, got {mask_type}")
    values = arithmetic.to_floats(
        input, number(in_scale, "in_scale"), integer(in_zero_point, "in_zero_point")
    )
    return arithmetic.to_integers(
        values.softmax(dim),
        number(out_scale, "out_scale"),
        integer(out_zero_point, "out_zero_point"),
        input.dtype,
    )


def softmax_f32_f32(self: torch.Tensor, dim: int, half_to_float: bool | None = None) -> torch.Tensor:
    if self.dtype != torch.float32:
        raise ValueError(f"softmax of floats, not of {self.dtype}")
    return self.softmax(dim)


def quantized_embedding_byte(
    weight: torch.Tensor,
    scales: torch.Tensor,
    zero_points: torch.Tensor | None,
    indices: torch.Tensor,
    pruned_weights: bool = False,
) -> torch.Tensor:
    """Rows of ``weight``, with a scale a row ``[rows]``, or several ``[rows, groups]`` for equal parts of it."""
    if pruned_weights:
        raise NotImplementedError("Pruned weights not supported")
    rows = weight[indices].to(torch.float32)
    groups = 1 if scales.dim() == 1 else scales.shape[1]
    parts = rows.reshape(*indices.shape, groups, -1)
    if zero_points is not None:
        parts = parts - zero_points[indices].reshape(*indices.shape, groups, 1)
    return (parts * scales[indices].reshape(*indices.shape, groups, 1)).reshape(rows.shape)


def fully_connected(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    if input.shape[0] != 1:
        raise ValueError("a fully connected layer has one row")
    return functional.linear(input, weight, bias)


def linalg_svd(
    a: torch.Tensor, full_matrices: bool = False, compute_uv: bool = True, driver: str | None = None
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Without ``compute_uv`` the values alone; the vectors are empty."""
    u, s, vh = torch.ops.aten._linalg_svd.default(a, full_matrices, compute_uv, driver=driver)
    return u.contiguous(), s.contiguous(), vh.contiguous()


def quantized_w8a32_linear(
    input: torch.Tensor, weight: torch.Tensor, w_scale: float, bias: torch.Tensor, b_scale: float
) -> torch.Tensor:
    """``weight`` is ``[inputs, outputs]``; rows one by one."""
    if input.dim() > 1 and input.shape[-2] != 1:
        raise AssertionError("Only supporting vector-matrix multiplication")
    return input @ (weight.float() * w_scale) + bias.float() * b_scale


def quantized_w8a32_conv(
    input: torch.Tensor, weight: torch.Tensor, w_scale: float, bias: torch.Tensor, b_scale: float
) -> torch.Tensor:
    """Along one dimension: ``input`` is ``[n, length, inputs]``, ``weight`` ``[3, outputs, inputs]``, what comes ``[n, outputs, length - 2]``."""
    if weight.shape[0] != 3:
        raise ValueError("Kernel size must be 3")
    return functional.conv1d(input.mT, weight.permute(1, 2, 0).float() * w_scale, bias.float() * b_scale)


def quantized_w8a32_gru(
    inputs: torch.Tensor,
    hidden: torch.Tensor,
    weights_inputs: torch.Tensor,
    w_i_scale: float,
    weights_hidden: torch.Tensor,
    w_h_scale: float,
    bias_inputs: torch.Tensor,
    b_scale: float,
    bias_hidden: torch.Tensor,
) -> torch.Tensor:
    """One step of a GRU. The new state comes twice, as output and as state, ``[2, 1, inputs.shape[1], size]``."""
    size = hidden.shape[-1]
    if any(one != 1 for one in hidden.shape[:-1]):
        raise ValueError(f"Leading dimension 0 of hidden state must be 1, not {list(hidden.shape)}")
    if size % 4:
        raise ValueError(f"Hidden dimension must be a multiple of 4, not {size}")
    state = torch.gru_cell(
        inputs.reshape(1, -1),
        hidden.reshape(1, -1),
        weights_inputs.float() * w_i_scale,
        weights_hidden.float() * w_h_scale,
        bias_inputs.float() * b_scale,
        bias_hidden.float() * b_scale,
    )
    return state.expand(2, *inputs.shape[:2], size).clone()
