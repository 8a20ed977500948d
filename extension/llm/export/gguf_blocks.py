"""The layout of GGUF's blocks of 256 weights, unpacked: bits, and a scale and a minimum for each group.

The layouts are those of llama.cpp's `ggml-common.h`, which the package `gguf` describes as well.
"""

from __future__ import annotations

import torch

#: Weights of a block.
QK_K = 256

#: Bytes of a block, and weights that share a scale in it.
BLOCK_BYTES = {"q4_k": 144, "q5_k": 176, "q6_k": 210}
GROUP_SIZES = {"q4_k": 32, "q5_k": 32, "q6_k": 16}


def q4_k_fields(
    raw: torch.Tensor, rows: int, columns: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Bits ``[rows, columns]`` in uint8, and float32 scales and minima ``[rows, columns / 32]``: ``scale * bits - minimum``.

    A block has two scales of its scales and minima in 16 bits, 12 bytes of eight pairs of six bits, 128 bytes of pairs of four.
    """
    blocks = raw.reshape(-1, BLOCK_BYTES["q4_k"])
    scale, minimum = _scales_and_minima(blocks)
    return _nibbles(blocks[:, 16:]).reshape(rows, columns), scale.reshape(rows, -1), minimum.reshape(rows, -1)


def q5_k_fields(
    raw: torch.Tensor, rows: int, columns: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """As :func:`q4_k_fields`, with 32 bytes before the last 128, of which bit `g` of byte `i` is the fifth bit of weight `i` in group `g`."""
    blocks = raw.reshape(-1, BLOCK_BYTES["q5_k"])
    scale, minimum = _scales_and_minima(blocks)
    fifth = (blocks[:, None, 16:48] >> torch.arange(8, dtype=torch.uint8)[:, None]) & 1
    bits = _nibbles(blocks[:, 48:]) | (fifth << 4)
    return bits.reshape(rows, columns), scale.reshape(rows, -1), minimum.reshape(rows, -1)


def q6_k_fields(raw: torch.Tensor, rows: int, columns: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Bits ``[rows, columns]`` from -32 to 31 in int8, and float32 scales ``[rows, columns / 16]``.

    A block has 128 bytes of the lower four bits, 64 of the upper two, 16 scales in int8 and the scale of these in 16 bits. Each half of
    the block takes half of both: 32 weights from the low halves of 32 bytes, 32 from those of the next, and so from the high halves.
    """
    blocks = raw.reshape(-1, BLOCK_BYTES["q6_k"])
    low = blocks[:, :128].reshape(-1, 2, 2, 32)
    low = torch.stack((low & 0xF, low >> 4), dim=2)
    high = (blocks[:, 128:192].reshape(-1, 2, 1, 32) >> torch.arange(0, 8, 2, dtype=torch.uint8)[:, None]) & 3
    bits = (low.flatten(2, 3) | (high << 4)).to(torch.int8) - 32
    scale = _halves(blocks, 208) * blocks[:, 192:208].view(torch.int8).to(torch.float32)
    return bits.reshape(rows, columns), scale.reshape(rows, -1)


def affine_groups(
    bits: torch.Tensor, scale: torch.Tensor, minimum: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Bits, scales and zero points, so that ``scale * (bits - zero)`` is ``scale * bits - minimum``.

    A group that has a minimum only, and no scale, gets the minimum for a scale, bits of 0 and a zero point of 1.
    """
    constant = (scale == 0) & (minimum != 0)
    if bool(constant.any()):
        group = bits.shape[1] // scale.shape[1]
        bits = bits.masked_fill(constant.repeat_interleave(group, dim=1), 0)
        scale = torch.where(constant, minimum, scale)
    zero = torch.where(scale == 0, torch.zeros_like(minimum), minimum / torch.where(scale == 0, 1.0, scale))
    return bits, scale, zero


def _scales_and_minima(blocks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    first, second, third = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]
    scales = torch.cat((first & 63, (third & 0xF) | ((first >> 6) << 4)), dim=1)
    minima = torch.cat((second & 63, (third >> 4) | ((second >> 6) << 4)), dim=1)
    return _halves(blocks, 0) * scales.to(torch.float32), _halves(blocks, 2) * minima.to(torch.float32)


def _nibbles(packed: torch.Tensor) -> torch.Tensor:
    """``[blocks, 8, 32]`` of 128 bytes a block: groups of 32 bytes, whose low halves come before the high ones."""
    four = packed.reshape(-1, 4, 1, 32)
    return torch.cat((four & 0xF, four >> 4), dim=2).flatten(1, 2)


def _halves(blocks: torch.Tensor, start: int) -> torch.Tensor:
    """The float16 at a byte of each block, as float32 ``[blocks, 1]``."""
    return blocks[:, start : start + 2].contiguous().view(torch.float16).to(torch.float32)
