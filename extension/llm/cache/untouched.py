"""Caches before anything was written to them."""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence

import torch

#: Bytes below which memory of its own is not worth a mapping.
_SMALL = 1 << 20


def untouched_zeros(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Zeros that take memory where something is written only: an export says what a cache is like, and never fills it."""
    size = math.prod(shape) * dtype.itemsize
    if size < _SMALL:
        return torch.zeros(tuple(shape), dtype=dtype)
    return torch.frombuffer(mmap.mmap(-1, size), dtype=dtype).view(tuple(shape))
