"""Slices with all that they leave out filled in."""

from __future__ import annotations

from typing import Any, NamedTuple

from executorch.backends.cadence.passes.edits import ATEN, shape
from executorch.ir.rewriter import arguments, is_call


class Slice(NamedTuple):
    """What a slice takes: ``dim``, ``start`` and ``end`` from the front and within the tensor, and ``step``."""

    dim: int
    start: int
    end: int
    step: int

    @property
    def length(self) -> int:
        """How many elements along the dimension it takes."""
        return len(range(self.start, self.end, self.step))


def slice_of(node: Any) -> Slice | None:
    """What a node takes of its input; None where it is no slice, or where sizes or bounds are symbols."""
    if not is_call(node, ATEN.slice_copy.Tensor, ATEN.slice.Tensor):
        return None
    named = arguments(node)
    sizes = shape(named["self"])
    bounds = named["start"], named["end"], named["step"]
    if not sizes or not all(one is None or isinstance(one, int) for one in bounds):
        return None
    dim = named["dim"] % len(sizes)
    start, end, step = slice(*bounds).indices(sizes[dim])
    return Slice(dim, start, max(start, end), step)


__all__ = ["Slice", "slice_of"]
