"""Linear layers and convolutions on MX blocks: operators that PyTorch calculates, and the modules that call them.

Inputs are brought to blocks of the weight's type, along the channels, when the operator runs; products and sums are float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torchao.prototype.mx_formats.mx_tensor import to_dtype, to_mx

from executorch.backends.arm.tosa.mx_types import BLOCK_SIZE, STORED, MXFPDType, mxfp_dtype_to_str

#: Name -> what torchao calls the type.
_ELEMENTS: dict[str, Any] = {name: getattr(torch, name) if hasattr(torch, name) else name for name in STORED}


def to_blocks(x: torch.Tensor, dtype: str, block_size: int = BLOCK_SIZE) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers of ``x`` as they are stored, and a scale for each block of its last dimension."""
    scale, data = to_mx(x.float().contiguous(), _ELEMENTS[dtype], block_size)
    return data, scale.reshape(*x.shape[:-1], -1)


def from_blocks(
    data: torch.Tensor, scale: torch.Tensor, dtype: str, block_size: int = BLOCK_SIZE
) -> torch.Tensor:
    """What ``to_blocks`` stored, in float32."""
    made: torch.Tensor = to_dtype(data, scale, _ELEMENTS[dtype], block_size, torch.float32)
    return made


def _through_blocks(x: torch.Tensor, dtype: str, block_size: int) -> torch.Tensor:
    return from_blocks(*to_blocks(x, dtype, block_size), dtype, block_size)


@torch.library.custom_op(
    "tosa_mxfp::linear",
    mutates_args=(),
    schema="(Tensor input, Tensor weight_qdata, Tensor weight_scale, Tensor? bias, str weight_dtype, int block_size) -> Tensor",
)
def linear(
    x: torch.Tensor,
    weight_qdata: torch.Tensor,
    weight_scale: torch.Tensor,
    bias: torch.Tensor | None,
    weight_dtype: str,
    block_size: int,
) -> torch.Tensor:
    """``[..., inputs]`` and blocks of ``[1, outputs, inputs]`` to float32 ``[..., outputs]``."""
    weight = from_blocks(weight_qdata, weight_scale, weight_dtype, block_size)[0]
    return F.linear(
        _through_blocks(x, weight_dtype, block_size), weight, None if bias is None else bias.float()
    )


@linear.register_fake
def _(
    x: torch.Tensor, weight_qdata: torch.Tensor, weight_scale: Any, bias: Any, dtype: str, block_size: int
) -> torch.Tensor:
    return x.new_empty([*x.shape[:-1], weight_qdata.shape[1]], dtype=torch.float32)


@torch.library.custom_op(
    "tosa_mxfp::conv2d",
    mutates_args=(),
    schema=(
        "(Tensor input, Tensor weight_qdata, Tensor weight_scale, Tensor? bias, int[] stride, int[] padding, "
        "int[] dilation, int groups, str weight_dtype, int block_size) -> Tensor"
    ),
)
def conv2d(
    x: torch.Tensor,
    weight_qdata: torch.Tensor,
    weight_scale: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    weight_dtype: str,
    block_size: int,
) -> torch.Tensor:
    """Images ``[n, inputs, h, w]`` and blocks of ``[outputs, kernel, kernel, inputs]`` to float32."""
    weight = from_blocks(weight_qdata, weight_scale, weight_dtype, block_size).permute(0, 3, 1, 2)
    image = _through_blocks(x.permute(0, 2, 3, 1), weight_dtype, block_size).permute(0, 3, 1, 2)
    return F.conv2d(
        image.contiguous(), weight, None if bias is None else bias.float(), stride, padding, dilation, groups
    )


@conv2d.register_fake
def _(
    x: torch.Tensor,
    weight_qdata: torch.Tensor,
    weight_scale: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    *rest: Any,
) -> torch.Tensor:
    space = [
        (x.shape[2 + i] + 2 * padding[i] - dilation[i] * (weight_qdata.shape[1 + i] - 1) - 1) // stride[i] + 1
        for i in range(2)
    ]
    return x.new_empty([x.shape[0], weight_qdata.shape[0], *space], dtype=torch.float32)


class _Blocks(nn.Module):
    """Holds a weight in blocks; ``forward`` is a subclass's."""

    bias: nn.Parameter | None

    def __init__(
        self,
        weight: tuple[torch.Tensor, torch.Tensor],
        bias: torch.Tensor | None,
        dtype: MXFPDType,
        block_size: int,
        output_dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.register_buffer("weight_qdata", weight[0])
        self.register_buffer("weight_scale", weight[1])
        self.bias = None if bias is None else nn.Parameter(bias.detach(), requires_grad=False)
        self.weight_dtype = mxfp_dtype_to_str(dtype)
        self.block_size = block_size
        self.output_dtype = output_dtype

    def _typed(self, made: torch.Tensor) -> torch.Tensor:
        return made if made.dtype is self.output_dtype else made.to(self.output_dtype)


class MXFPLinearOp(_Blocks):
    """``torch.nn.Linear`` with a weight in blocks of ``[1, outputs, inputs]``."""

    def __init__(
        self,
        weight_qdata: torch.Tensor,
        weight_scale: torch.Tensor,
        bias: torch.Tensor | None,
        weight_dtype: MXFPDType,
        block_size: int = BLOCK_SIZE,
        output_dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__((weight_qdata, weight_scale), bias, weight_dtype, block_size, output_dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = self.weight_qdata, self.weight_scale
        return self._typed(
            torch.ops.tosa_mxfp.linear(x, *weight, self.bias, self.weight_dtype, self.block_size)
        )


class MXFPConv2dOp(_Blocks):
    """``torch.nn.Conv2d`` with a weight in blocks of ``[outputs, kernel, kernel, inputs]``; padding is of zeros."""

    def __init__(
        self,
        weight_qdata: torch.Tensor,
        weight_scale: torch.Tensor,
        bias: torch.Tensor | None,
        stride: Sequence[int],
        padding: Sequence[int],
        dilation: Sequence[int],
        groups: int,
        weight_dtype: MXFPDType,
        block_size: int = BLOCK_SIZE,
        output_dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__((weight_qdata, weight_scale), bias, weight_dtype, block_size, output_dtype)
        self.stride, self.padding, self.dilation = list(stride), list(padding), list(dilation)
        self.groups = groups

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        space = self.stride, self.padding, self.dilation, self.groups
        weight = self.weight_qdata, self.weight_scale
        return self._typed(
            torch.ops.tosa_mxfp.conv2d(x, *weight, self.bias, *space, self.weight_dtype, self.block_size)
        )
