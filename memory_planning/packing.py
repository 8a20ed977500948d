"""The default algorithm: the best of several packings of intervals, improved until it meets the lower bound.

Placing values at offsets so that values that live at the same time do not overlap is "dynamic storage
allocation" (NP-hard). Taking the values in some order and putting each at the lowest offset, or into the
tightest gap, that its already placed contemporaries leave free gives good packings; which order is best differs
from graph to graph, so several are tried. Most graphs meet the lower bound with the first or the second; for
the others a local search changes the order of the best packing. Nothing depends on time or chance: the same values
always get the same places.

Source of the orders: Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import aligned_bytes, interval, plan_by_memory
from executorch.memory_planning.lower_bound import largest_live_set, live_bytes
from executorch.memory_planning.plan import MemoryAlgoResult

_WORK = 4_000_000
"""Limit of all packings of one memory in looked-at pairs of values, which is about half a second."""
_MOST_PACKINGS = 600
_DENSE = 64
"""With more contemporaries than this on average, arrays are faster than lists."""
_DENSE_LIMIT = 4096
"""Up to this many blocks a matrix says which of them live at the same time."""


@dataclass(frozen=True)
class Packing:
    """Offsets in bytes, one for each block, and where the last block ends."""

    offsets: np.ndarray
    size: int


class Blocks:
    """Sizes and lifetimes of the values that share one memory."""

    def __init__(self, sizes: Sequence[int], first: Sequence[int], last: Sequence[int]) -> None:
        """Sizes in bytes, already multiples of the alignment; `first` and `last` are steps, both included."""
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.first = np.asarray(first, dtype=np.int64)
        self.last = np.asarray(last, dtype=np.int64)
        # Values that begin no later than a block's end, less those that ended before its beginning.
        begun = np.searchsorted(np.sort(self.first), self.last, side="right")
        ended = np.searchsorted(np.sort(self.last), self.first, side="left")
        self.pairs = int((begun - ended).sum())
        self.is_dense = self.pairs > _DENSE * len(self)
        self._matrix = None
        if len(self) <= _DENSE_LIMIT:
            self._matrix = (self.first[:, None] <= self.last) & (self.first <= self.last[:, None])
        self.lists: list[list[int]] = []
        if not self.is_dense:
            self.lists = [np.flatnonzero(self.contemporaries(block)).tolist() for block in range(len(self))]

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

    def affordable_packings(self) -> int:
        """How many packings fit into the limit of work, at least four."""
        work = len(self) * 250 if self.is_dense else len(self) * 10 + self.pairs * 2
        return max(4, min(_MOST_PACKINGS, _WORK // max(work, 1)))


def pack(blocks: Blocks, order: Sequence[int] | np.ndarray, best_fit: bool = False) -> Packing:
    """Places the blocks one by one in the given order.

    Args:
        best_fit: take the tightest gap instead of the lowest one.
    """
    offsets = (_pack_dense if blocks.is_dense else _pack_sparse)(blocks, order, best_fit)
    return Packing(offsets, int((offsets + blocks.sizes).max(initial=0)))


def _pack_sparse(blocks: Blocks, order: Sequence[int] | np.ndarray, best_fit: bool) -> np.ndarray:
    sizes: list[int] = blocks.sizes.tolist()
    placed: list[tuple[int, int] | None] = [None] * len(sizes)
    for block in order:
        size = sizes[block]
        if size:
            occupied = sorted([place for other in blocks.lists[block] if (place := placed[other])])
            offset = _gap_in_list(occupied, size, best_fit)
            placed[block] = (offset, offset + size)
    return np.array([place[0] if place else 0 for place in placed], dtype=np.int64)


def _gap_in_list(occupied: Sequence[tuple[int, int]], size: int, best_fit: bool) -> int:
    """Offset of a gap of `size` bytes between occupied ranges, sorted, or the end of the last range."""
    end, best, best_room = 0, -1, 0
    for begin, stop in occupied:
        room = begin - end
        if room >= size and (best < 0 or room < best_room):
            if not best_fit:
                return end
            best, best_room = end, room
        end = max(end, stop)
    return best if best >= 0 else end


def _pack_dense(blocks: Blocks, order: Sequence[int] | np.ndarray, best_fit: bool) -> np.ndarray:
    offsets = np.zeros(len(blocks), dtype=np.int64)
    is_placed = np.zeros(len(blocks), dtype=bool)
    for block in order:
        size = int(blocks.sizes[block])
        if size:
            neighbours = np.flatnonzero(blocks.contemporaries(block) & is_placed)
            offsets[block] = _gap(offsets[neighbours], blocks.sizes[neighbours], size, best_fit)
            is_placed[block] = True
    return offsets


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


def pack_within(blocks: Blocks, order: Sequence[int] | np.ndarray, limit: int) -> tuple[Packing, np.ndarray]:
    """Places what ends at `limit` bytes or before; returns the packing and a mask of what was placed."""
    offsets = np.zeros(len(blocks), dtype=np.int64)
    is_placed = np.zeros(len(blocks), dtype=bool)
    for block in order:
        neighbours = np.flatnonzero(blocks.contemporaries(block) & is_placed)
        size = int(blocks.sizes[block])
        offset = _gap(offsets[neighbours], blocks.sizes[neighbours], size, False) if size else 0
        if offset + size <= limit:
            offsets[block] = offset
            is_placed[block] = True
    return Packing(offsets, int((offsets + blocks.sizes)[is_placed].max(initial=0))), is_placed


def orders(blocks: Blocks) -> Iterator[np.ndarray]:
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
    left = blocks.affordable_packings()
    best: Packing | None = None
    best_order, is_best_fit = np.arange(len(blocks)), False
    for order in orders(blocks):
        for best_fit in (False, True):
            packing = pack(blocks, order, best_fit)
            left -= 1
            if best is None or packing.size < best.size:
                best, best_order, is_best_fit = packing, order, best_fit
            if best.size <= bound or left <= 0:
                break
        if best is not None and (best.size <= bound or left <= 0):
            return best
    assert best is not None
    return _improve(blocks, best, best_order, is_best_fit, bound, left)


def _improve(
    blocks: Blocks, best: Packing, order: np.ndarray, best_fit: bool, bound: int, tries: int
) -> Packing:
    """Local search over orders: takes blocks earlier, mostly those that stick out, and keeps what is not worse.

    A block that ends at the top found no lower place because others came before it.
    """
    chance = random.Random(0)
    current = order.tolist()
    packing = best
    for attempt in range(tries):
        ends = packing.offsets + blocks.sizes
        at_top = [index for index, block in enumerate(current) if ends[block] == packing.size]
        changed = list(current)
        if attempt == 0:
            top = {current[index] for index in at_top}
            changed = [block for block in current if block in top] + [b for b in current if b not in top]
        elif attempt % 3:
            _move_earlier(changed, chance.choice(at_top), chance)
        else:
            for _ in range(1 + attempt % 4):
                _move_earlier(changed, chance.randrange(len(changed)), chance)
        found = pack(blocks, changed, best_fit)
        if found.size <= packing.size:
            current, packing = changed, found
        if packing.size <= bound:
            break
    return packing


def _move_earlier(order: list[int], index: int, chance: random.Random) -> None:
    order.insert(chance.randint(0, index), order.pop(index))


def _places(specs: Sequence[TensorSpec], alignment: int) -> list[tuple[int, int]]:
    packing = best_packing(blocks_of(specs, alignment))
    return numbered(packing)


def blocks_of(specs: Sequence[TensorSpec], alignment: int) -> Blocks:
    """Sizes, rounded up to the alignment, and lifetimes of values that share one memory."""
    intervals = [interval(spec) for spec in specs]
    return Blocks(
        [aligned_bytes(spec, alignment) for spec in specs],
        [first for first, _ in intervals],
        [last for _, last in intervals],
    )


def numbered(packing: Packing) -> list[tuple[int, int]]:
    """(number of the location, offset) of each block; blocks with one offset have one number."""
    numbers: dict[int, int] = {}
    offsets = packing.offsets.tolist()
    return [(numbers.setdefault(offset, len(numbers)), offset) for offset in offsets]


def best_of_packings(
    alignment: int,
    specs: Collection[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """The default: places values at free offsets in several orders and keeps the smallest result."""
    return plan_by_memory(specs, alignment, extra_padding, _places)
