"""The smallest packing of a few blocks, by a search that tries no two orders with the same outcome.

Any packing can be pushed down until every block stands on 0 or on a block that lives at the same time. Taken by rising
offset, each block of such a packing lies on the highest end of its contemporaries among those before it. So it is enough
to choose, again and again, which block comes next: its offset follows, and must not be below the last one. The search
gives up after a number of choices, never after a time, so that the same values always get the same places.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import plan_by_memory
from executorch.memory_planning.packing import Blocks, Packing, best_packing, blocks_of, numbered
from executorch.memory_planning.plan import MemoryAlgoResult

#: Pairs of values that live together up to which the default suite searches.
PAIRS = 150
#: Blocks up to which a search is worth it, which also bounds the recursion.
BLOCKS = 100
#: Choices after which the search gives up, which takes about a tenth of a second.
CHOICES = 4_000


@dataclass
class _Search:
    """One search for packings below ``limit`` bytes.

    Attributes:
        sizes: of the blocks in bytes.
        spans: first and last of the moments (the steps at which a block begins) at which each block lives.
        limit: packings must be smaller; that of the best one so far.
        bound: bytes that every packing needs; one of that size ends the search.
        left: choices.
    """

    sizes: list[int]
    spans: list[tuple[int, int]]
    limit: int
    bound: int
    left: int
    best: list[int] | None = None
    seen: set[tuple[int, tuple[int, ...], int]] = field(default_factory=set)

    def run(self, moments: int) -> None:
        waiting = [0] * moments
        for size, (first, last) in zip(self.sizes, self.spans, strict=True):
            for moment in range(first, last + 1):
                waiting[moment] += size
        self._choose(0, [0] * moments, waiting, 0, [0] * len(self.sizes))

    def _choose(
        self, placed: int, skyline: list[int], waiting: list[int], lowest: int, offsets: list[int]
    ) -> None:
        """Places one more block in every way that can lead below the limit.

        Args:
            placed: a bit for each block that has an offset.
            skyline: the highest end at each moment.
            waiting: bytes of the blocks without offset at each moment.
            lowest: offset of the last block; the others lie there or higher.
        """
        if placed == (1 << len(self.sizes)) - 1:
            self.best, self.limit = list(offsets), max(skyline)
            return
        state = (placed, tuple(skyline), lowest)
        if state in self.seen:
            return
        self.seen.add(state)
        for offset, _, block in sorted(self._candidates(placed, skyline, lowest)):
            first, last = self.spans[block]
            above, rest = list(skyline), list(waiting)
            for moment in range(first, last + 1):
                above[moment] = offset + self.sizes[block]
                rest[moment] -= self.sizes[block]
            if self.left <= 0 or self.limit <= self.bound:
                return
            self.left -= 1
            tops = (
                max(high, offset) + more if more else high for high, more in zip(above, rest, strict=True)
            )
            if max(tops) < self.limit:
                offsets[block] = offset
                self._choose(placed | 1 << block, above, rest, offset, offsets)

    def _candidates(self, placed: int, skyline: list[int], lowest: int) -> list[tuple[int, int, int]]:
        """Offset, negative size and number of the blocks that may come next."""
        found = []
        for block, (first, last) in enumerate(self.spans):
            if not placed >> block & 1:
                offset = max(skyline[first : last + 1])
                if offset >= lowest:
                    found.append((offset, -self.sizes[block], block))
        return found


def smallest_packing(blocks: Blocks, choices: int = CHOICES) -> Packing:
    """The smallest packing, or the smallest one known when the search gives up."""
    best = best_packing(blocks)
    bound = blocks.lower_bound()
    used = np.flatnonzero(blocks.sizes)
    if best.size <= bound or len(used) > BLOCKS:
        return best
    moments = np.unique(blocks.first[used])
    first = np.searchsorted(moments, blocks.first[used])
    last = np.searchsorted(moments, blocks.last[used], side="right") - 1
    spans = list(zip(first.tolist(), last.tolist(), strict=True))
    search = _Search(blocks.sizes[used].tolist(), spans, best.size, bound, choices)
    search.run(len(moments))
    if search.best is None:
        return best
    offsets = np.zeros(len(blocks), dtype=np.int64)
    offsets[used] = search.best
    return Packing(offsets, search.limit)


def search_if_small(
    alignment: int,
    specs: Collection[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """The smallest plan for each memory with few values, otherwise as `best_of_packings`."""

    def place(group: Sequence[TensorSpec], alignment: int) -> list[tuple[int, int]]:
        blocks = blocks_of(group, alignment)
        pairs = (blocks.pairs - len(blocks)) // 2
        return numbered(smallest_packing(blocks) if pairs <= PAIRS else best_packing(blocks))

    return plan_by_memory(specs, alignment, extra_padding, place)


__all__ = ["search_if_small", "smallest_packing"]
