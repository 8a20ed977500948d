"""Shapes and types that several backends' operators give: of windows, and of quantization. Sizes are numbers, or symbols of a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

Size: TypeAlias = Any


def output_size(size: Size, taps: Size, stride: int, padding: Size, dilation: int) -> Size:
    """How many windows of ``taps`` values fit along one dimension of ``size``."""
    return (size + 2 * padding - dilation * (taps - 1) - 1) // stride + 1


def transposed_size(
    size: Size, taps: Size, stride: int, padding: Size, dilation: int, output_padding: Size
) -> Size:
    """What a transposed convolution makes of one dimension of ``size``."""
    return (size - 1) * stride - 2 * padding + dilation * (taps - 1) + output_padding + 1


@dataclass(frozen=True)
class Run:
    """Windows of one size and distance, one behind the other."""

    start: int
    size: int
    stride: int
    count: int

    @property
    def length(self) -> int:
        return (self.count - 1) * self.stride + self.size


def runs_of(before: int, after: int) -> list[Run]:
    """The windows of an adaptive pool along one dimension, in as few runs as there are."""
    starts = [i * before // after for i in range(after)]
    sizes = [-(-(i + 1) * before // after) - start for i, start in enumerate(starts)]
    runs: list[Run] = []
    for start, size in zip(starts, sizes, strict=True):
        last = runs[-1] if runs else None
        step = start - (last.start + (last.count - 1) * last.stride) if last else 0
        if last is not None and last.size == size and step > 0 and last.stride in (0, step):
            runs[-1] = Run(last.start, size, step, last.count + 1)
        else:
            runs.append(Run(start, size, 0, 1))
    return [one if one.stride else Run(one.start, one.size, 1, 1) for one in runs]


def quantized(input: torch.Tensor, *rest: Any) -> torch.Tensor:
    """Of ``quantize_per_tensor`` and its like, whose last argument is the type of the integers."""
    return torch.empty_like(input, dtype=rest[-1])


def dequantized(input: torch.Tensor, *rest: Any) -> torch.Tensor:
    return torch.empty_like(input, dtype=torch.float32)


__all__ = ["Run", "Size", "dequantized", "output_size", "quantized", "runs_of", "transposed_size"]
