"""The default algorithm: the best of several packings of intervals, improved until it meets the lower bound.

Placing values at offsets so that values that live at the same time do not overlap is "dynamic storage
allocation" (NP-hard). Taking the values in some order and putting each at the lowest offset, or into the
tightest gap, that its already placed contemporaries leave free gives good packings; which order is best differs
from graph to graph, so several are tried. Most graphs meet the lower bound with the first or the second.

Source of the orders: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import MemoryAlgoResult, aligned_bytes, interval, plan_by_memory
from executorch.memory_planning.lower_bound import largest_live_set, live_bytes

_IMPROVEMENTS = 40
"""How often an order is changed when no packing has met the lower bound."""
_DENSE_LIMIT = 4096
"""Up to this many blocks a matrix says which of them live at the same time."""


@dataclass(frozen=True)
class Packing:
    """Offsets in bytes, one for each block, and where the last block ends."""

    offsets: np.ndarray
    size: int


class Blocks:
    """Sizes and lifetimes of the values that share one memory, as arrays."""

    def __init__(self, sizes: Sequence[int], first: Sequence[int], last: Sequence[int]) -> None:
        """Sizes in bytes, already multiples of the alignment; `first` and `last` are steps, both included."""
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.first = np.asarray(first, dtype=np.int64)
        self.last = np.asarray(last, dtype=np.int64)
        self._matrix = None
        if len(self.sizes) <= _DENSE_LIMIT:
            self._matrix = (self.first[:, None] <= self.last) & (self.first <= self.last[:, None])

    def __len__(self) -> int:
        return len(self.sizes)

    def contemporaries(self, block: int) -> np.ndarray:
        """Mask of the blocks that live at the same time as `block`, itself included."""
        if self._matrix is not None:
            return self._matrix[block]
        return (self.first <= self.last[block]) & (self.first[block] <= self.last)

    def lower_bound(self) -> int:
        """Bytes of the largest set of blocks that live at the same time."""
        return largest_live_set(self.sizes.tolist(), self.first.tolist(), self.last.tolist())


def pack(blocks: Blocks, order: Sequence[int] | np.ndarray, best_fit: bool = False) -> Packing:
    """Places the blocks one by one in the given order.

    Args:
        best_fit: take the tightest gap instead of the lowest one.
    """
    offsets = np.zeros(len(blocks), dtype=np.int64)
    is_placed = np.zeros(len(blocks), dtype=bool)
    for block in order:
        neighbours = np.flatnonzero(blocks.contemporaries(block) & is_placed)
        offsets[block] = _gap(
            offsets[neighbours], blocks.sizes[neighbours], int(blocks.sizes[block]), best_fit
        )
        is_placed[block] = True
    size = int((offsets + blocks.sizes).max(initial=0))
    return Packing(offsets, size)


def _gap(offsets: np.ndarray, sizes: np.ndarray, size: int, best_fit: bool) -> int:
    """Offset of a gap of `size` bytes between occupied ranges, or the end of the last range."""
    if not len(offsets):
        return 0
    order = np.argsort(offsets, kind="stable")
    begins = offsets[order]
    ends = np.maximum.accumulate(begins + sizes[order])
    gap_begins = np.concatenate(([0], ends[:-1]))
    room = begins - gap_begins
    fitting = np.flatnonzero(room >= size)
    if not len(fitting):
        return int(ends[-1])
    return int(gap_begins[fitting[np.argmin(room[fitting])] if best_fit else fitting[0]])


def _orders(blocks: Blocks) -> Iterator[np.ndarray]:
    """Orders worth trying, the most promising first; ties keep the order of the graph."""
    duration = blocks.last - blocks.first + 1
    yield np.lexsort((-duration, -blocks.sizes))
    yield _by_breadth(blocks)
    yield np.lexsort((-blocks.sizes, -duration))
    yield np.argsort(-blocks.sizes * duration, kind="stable")
    yield np.lexsort((-blocks.sizes, blocks.first))
    yield np.lexsort((-blocks.sizes, -blocks.last))


def _by_breadth(blocks: Blocks) -> np.ndarray:
    """The blocks of the step with the most live bytes first, then those of the next; larger ones first."""
    steps = live_bytes(blocks.sizes.tolist(), blocks.first.tolist(), blocks.last.tolist())
    breadth = np.zeros(len(blocks), dtype=np.int64)
    times = np.array([step for step, _ in steps], dtype=np.int64)
    amounts = np.array([amount for _, amount in steps], dtype=np.int64)
    for block in range(len(blocks)):
        is_during = (times >= blocks.first[block]) & (times <= blocks.last[block])
        breadth[block] = amounts[is_during].max()
    return np.lexsort((-blocks.sizes, -breadth))


def best_packing(blocks: Blocks) -> Packing:
    """The smallest packing found; its size is never below `blocks.lower_bound()`."""
    if not len(blocks):
        return Packing(np.zeros(0, dtype=np.int64), 0)
    bound = blocks.lower_bound()
    best: Packing | None = None
    best_order: np.ndarray | None = None
    for order in _orders(blocks):
        for best_fit in (False, True):
            packing = pack(blocks, order, best_fit)
            if best is None or packing.size < best.size:
                best, best_order = packing, order
            if best.size <= bound:
                return best
    assert best is not None and best_order is not None
    return _improve(blocks, best, best_order, bound)


def _improve(blocks: Blocks, best: Packing, order: np.ndarray, bound: int) -> Packing:
    """Takes the blocks that stick out earlier, again and again.

    A block that ends at the top found no lower place because others came before it.
    """
    latest = best
    for _ in range(_IMPROVEMENTS):
        ends = latest.offsets + blocks.sizes
        is_at_top = ends[order] == latest.size
        changed = np.concatenate((order[is_at_top], order[~is_at_top]))
        if (changed == order).all():
            break
        order = changed
        latest = pack(blocks, order)
        if latest.size < best.size:
            best = latest
        if best.size <= bound:
            break
    return best


def _offsets(specs: Sequence[TensorSpec], alignment: int) -> list[int]:
    intervals = [interval(spec) for spec in specs]
    blocks = Blocks(
        [aligned_bytes(spec, alignment) for spec in specs],
        [first for first, _ in intervals],
        [last for _, last in intervals],
    )
    return [int(offset) for offset in best_packing(blocks).offsets]


def best_of_packings(
    alignment: int,
    specs: Set[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """The default: places values at free offsets in several orders and keeps the smallest result."""
    return plan_by_memory(specs, alignment, extra_padding, _offsets)
