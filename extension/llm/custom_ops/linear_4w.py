"""Linear layers with weights of four bits in groups, as a kernel reads them."""

from __future__ import annotations

import torch

from executorch.extension.llm.custom_ops.operands import need, need_dtype, need_rank

#: Columns of a block, and the bytes of one of its lines.
BLOCK = 64
_BYTES = BLOCK // 2
_ZERO = 8


def linear_4w(input: torch.Tensor, weight: torch.Tensor, scales: torch.Tensor, columns: int) -> torch.Tensor:
    """``input @ W.T`` of a weight that :func:`pack` made.

    Args:
        input: float32 of ``[..., k]``.
        weight, scales: of :func:`pack`.
        columns: outputs, the rows of ``W``.

    Raises:
        OperandError: shapes or element types do not fit.
    """
    _check(input, weight, scales, columns)
    halves = torch.cat((weight & 15, weight >> 4), dim=2).to(torch.float32) - _ZERO
    wide = halves * scales.repeat_interleave(weight.shape[1] // scales.shape[1], dim=1)
    matrix = wide.transpose(1, 2).reshape(-1, weight.shape[1])[:columns]
    return torch.nn.functional.linear(input, matrix)


def linear_4w_meta(
    input: torch.Tensor, weight: torch.Tensor, scales: torch.Tensor, columns: int
) -> torch.Tensor:
    """The shape of the input, with other columns."""
    _check(input, weight, scales, columns)
    return input.new_empty((*input.shape[:-1], columns))


def pack(numbers: torch.Tensor, scales: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A weight and its scales for :func:`linear_4w`, which reads blocks of 64 columns from begin to end.

    Args:
        numbers: from -8 to 7, ``[n, k]``.
        scales: of each group of a row, ``[n, groups]``.

    Returns:
        uint8 of ``[blocks, k, 32]`` and float32 of ``[blocks, groups, 64]``.
    """
    rows, depth = numbers.shape
    blocks = -(-rows // BLOCK)
    filled = torch.nn.functional.pad(numbers.to(torch.int16) + _ZERO, (0, 0, 0, blocks * BLOCK - rows))
    lines = filled.to(torch.uint8).reshape(blocks, BLOCK, depth).transpose(1, 2)
    packed = lines[..., :_BYTES] | (lines[..., _BYTES:] << 4)
    wide = torch.nn.functional.pad(scales.to(torch.float32), (0, 0, 0, blocks * BLOCK - rows))
    return packed.contiguous(), wide.reshape(blocks, BLOCK, -1).transpose(1, 2).contiguous()


def _check(input: torch.Tensor, weight: torch.Tensor, scales: torch.Tensor, columns: int) -> None:
    need_dtype("input", input, (torch.float32,))
    need_dtype("scales", scales, (torch.float32,))
    need_dtype("weight", weight, (torch.uint8,))
    need_rank("weight", weight, 3)
    need_rank("scales", scales, 3)
    blocks, depth, line = weight.shape
    need(line == _BYTES, f"Expected weight to be [blocks, k, {_BYTES}] but got {list(weight.shape)}")
    fits = scales.shape[0] == blocks and scales.shape[2] == BLOCK and scales.shape[1] > 0
    need(
        fits and depth % scales.shape[1] == 0,
        f"Expected scales to be [{blocks}, groups, {BLOCK}] of groups that divide {depth} but got {list(scales.shape)}",
    )
    need(
        0 <= blocks * BLOCK - columns < BLOCK and columns >= 0,
        f"{blocks} blocks of {BLOCK} columns do not end with {columns}",
    )
    need(
        input.dim() > 0 and bool(input.shape[-1] == depth),
        f"Expected input to be [..., {depth}] but got {list(input.shape)}",
    )


__all__ = ["BLOCK", "linear_4w", "linear_4w_meta", "pack"]
