"""Rounding sizes and offsets."""

from __future__ import annotations


def align_up(size: int, alignment: int) -> int:
    """`size` rounded up to a multiple of `alignment`."""
    return size + -size % alignment


def checked_alignment(alignment: int, name: str) -> int:
    """`alignment`, which must be a power of two; `name` is what an error calls it."""
    if alignment < 1 or alignment & (alignment - 1):
        raise ValueError(f"{name} must be a power of two, got {alignment}")
    return alignment
