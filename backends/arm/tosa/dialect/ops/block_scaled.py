"""Blocks of small numbers that share a scale, of TOSA 1.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    FP,
    TosaValueError,
    empty,
    known,
    operator,
    require_dtype,
    require_length,
    require_rank,
    supported,
)
from executorch.backends.arm.tosa.mx_types import BLOCK_SIZE, SCALE, STORED
from executorch.backends.arm.tosa.specification import get_context_spec

Sizes = Sequence[Any]


def require_blocks(op: str, block_size: int) -> None:
    """Raises:
    TosaValueError: the specification has no blocks, or none of this size.
    """
    spec = get_context_spec()
    if not spec.support_extension("mxfp"):
        what = "MXFP block-scaled casts" if op.startswith("CAST") else f"{op}, which is of the mxfp extension"
        raise TosaValueError(f"{spec} doesn't support {what}", op)
    if block_size != BLOCK_SIZE:
        raise TosaValueError(f"Unsupported block_size {block_size}; blocks have {BLOCK_SIZE} numbers", op)


def blocks_of(op: str, size: Any, block_size: int) -> Any:
    """How many blocks a dimension has.

    Raises:
        TosaValueError: the last is not whole.
    """
    if known(size) and size % block_size:
        raise TosaValueError(f"Last dim {size} must be divisible by block_size {block_size}", op)
    return size // block_size


def _stored(op: str, name: str) -> tuple[torch.dtype, int]:
    if name not in STORED:
        raise TosaValueError(f"no type {name!r} of MX blocks; there are {', '.join(STORED)}", op)
    return STORED[name]


def numbers_of(op: str, data: torch.Tensor, payload: str) -> Any:
    """How many numbers the last dimension has."""
    dtype, each = _stored(op, payload)
    if data.dtype is torch.uint8 and dtype is not torch.uint8:
        # Without a name bytes are two numbers of 4 bits, the only ones that are packed.
        each = 2
    elif data.dtype != dtype:
        require_dtype(op, data.dtype, {torch.float8_e4m3fn, torch.float8_e5m2, torch.uint8})
    return data.shape[-1] * each


def require_scale(op: str, what: str, scale: torch.Tensor, data: torch.Tensor, blocks: Any) -> None:
    """Raises:
    TosaValueError: there is not one scale for each block.
    """
    if scale.dtype is not SCALE:
        raise TosaValueError(f"{what} of {scale.dtype}; scales are {SCALE}", op)
    expected = (*data.shape[:-1], blocks)
    if tuple(scale.shape) != expected:
        raise TosaValueError(f"{what} shape {tuple(scale.shape)} must match {expected}", op)


@operator("CAST_TO_BLOCK_SCALED(Tensor input, int block_size, *, str output_dtype) -> (Tensor, Tensor)", FP)
def _(x: torch.Tensor, block_size: int, *, output_dtype: str) -> tuple[torch.Tensor, torch.Tensor]:
    op = "CAST_TO_BLOCK_SCALED"
    require_blocks(op, block_size)
    require_dtype(op, x.dtype, supported(floats=(torch.float32,), bf16=torch.bfloat16))
    blocks = blocks_of(op, x.shape[-1], block_size)
    dtype, each = _stored(op, output_dtype)
    data = empty(x, [*x.shape[:-1], x.shape[-1] // each], dtype)
    return data, empty(x, [*x.shape[:-1], blocks], SCALE)


@operator(
    "CONV2D_BLOCK_SCALED(Tensor input_data, Tensor input_scale, Tensor weight_data, Tensor weight_scale, Tensor? bias, "
    'int[] stride, SymInt[] pad, int[] dilation, int block_size, *, str payload_dtype="float8_e4m3fn") -> Tensor',
    FP,
)
def _(
    x: torch.Tensor,
    x_scale: torch.Tensor,
    weight: torch.Tensor,
    weight_scale: torch.Tensor,
    bias: torch.Tensor | None,
    stride: Sizes,
    pad: Sizes,
    dilation: Sizes,
    block_size: int,
    *,
    payload_dtype: str = "float8_e4m3fn",
) -> torch.Tensor:
    op = "CONV2D_BLOCK_SCALED"
    require_blocks(op, block_size)
    for what, data, scale in (("input", x, x_scale), ("weight", weight, weight_scale)):
        require_rank(op, data, 4, what)
        require_scale(
            op, f"{what}_scale", scale, data, blocks_of(op, numbers_of(op, data, payload_dtype), block_size)
        )
    require_length(op, "stride", stride, 2)
    require_length(op, "pad", pad, 4)
    require_length(op, "dilation", dilation, 2)
    space = [
        (x.shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - dilation[i] * (weight.shape[1 + i] - 1) - 1)
        // stride[i]
        + 1
        for i in range(2)
    ]
    return empty(x, [x.shape[0], *space, weight.shape[0]], torch.float32)
