"""Resizing by ratios that TOSA's operator has not: the rows that a result is a mix of are picked, and mixed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, DType, Tensor
from executorch.dialects import meta_keys

_Numbers = np.ndarray


def _mixes(node: Node, dim: int) -> tuple[_Numbers, _Numbers, _Numbers]:
    """For each row of a result: the two that it is a mix of, and how much of the second."""
    size = node.args[0].meta[meta_keys.VAL].shape[dim]  # type: ignore[union-attr]
    made = node.meta[meta_keys.VAL].shape[dim]
    factors = node.args[-1] if isinstance(node.args[-1], list | tuple) and len(node.args) > 2 else None
    given: Any = factors[dim] if factors is not None else None
    step = np.float32(1.0 / float(given) if given else size / made)
    places = np.arange(made, dtype=np.float32)
    if "nearest" in str(node.target):
        at = np.minimum(np.floor(places * step), size - 1)
        return at, at, np.zeros(made)
    if node.args[2]:
        exact = places * np.float32((size - 1) / (made - 1) if made > 1 else 0.0)
    else:
        exact = np.maximum((places + np.float32(0.5)) * step - np.float32(0.5), 0)
    first = np.minimum(np.floor(exact), size - 1)
    return first, np.minimum(first + 1, size - 1), exact - first


def resampled(b: Builder, x: Tensor, node: Node) -> Tensor:
    """``x`` has channels last."""
    wide = "bilinear" in str(node.target) and x.dtype != DType.FP32
    made = b.cast(x, DType.FP32) if wide else x
    for axis, dim in ((1, -2), (2, -1)):
        made = _along(b, made, axis, _mixes(node, dim))
    return b.cast(made, x.dtype) if wide else made


def _along(b: Builder, x: Tensor, axis: int, mixes: tuple[_Numbers, _Numbers, _Numbers]) -> Tensor:
    first, second, share = mixes
    before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    rows = b.reshape(x, [before, x.shape[axis], after])

    def picked(places: _Numbers) -> Tensor:
        return b.gather(rows, b.constant(np.tile(places.astype(np.int32), (before, 1)), DType.INT32))

    made = picked(first)
    if share.any():
        parts = ((made, 1 - share), (picked(second), share))
        made, other = (b.mul(one, b.constant(much.reshape(1, -1, 1), x.dtype)) for one, much in parts)
        made = b.add(made, other)
    return b.reshape(made, [*x.shape[:axis], len(first), *x.shape[axis + 1 :]])
