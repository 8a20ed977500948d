"""Bytes that kernels work in, known ahead of time, on any processor (``kernels/common.h``, class Scratch)."""

from __future__ import annotations

#: Inputs of so many outputs are gathered at a time.
_COLUMNS = 4
_POINTER = 8


def _part(size: int) -> int:
    return (size + 7) // 8 * 8


def convolution_scratch(outputs: int, depth: int) -> int:
    """Of a convolution whose outputs are sums over ``depth`` inputs."""
    column = (depth + 3) // 4 * 4
    return _part(4 * outputs) + _part(_COLUMNS * column) + _part(4 * column)


def wide_convolution_scratch(depth: int) -> int:
    """The same of int16: inputs of one output are gathered."""
    return _part(2 * depth)


def depthwise_scratch(inputs: int, outputs: int, taps: int) -> int:
    return _part(4 * outputs) + _part(inputs) + _part(_POINTER * taps)


def average_scratch() -> int:
    """Means are finished as they are read."""
    return 0


def batch_matmul_scratch(columns: int) -> int:
    return 2 * _part(4 * columns)


__all__ = [
    "average_scratch",
    "batch_matmul_scratch",
    "convolution_scratch",
    "depthwise_scratch",
    "wide_convolution_scratch",
]
