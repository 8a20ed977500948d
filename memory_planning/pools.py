"""Memories of limited size: what does not fit into the first, fast one spills into the next.

pools = [Pool(mem_id=1, size=256 * 1024, alignment=64), Pool(mem_id=2)]  # SRAM, then DRAM
MemoryPlanningPass(memory_planning_algo=PoolPlanner(pools))
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import ALIGNMENT, TensorSpec, calculate_aligned_num_bytes
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.packing import (
    Blocks,
    Packing,
    best_packing,
    blocks_of,
    numbered,
    orders,
    pack_within,
)
from executorch.memory_planning.plan import MemoryAlgoResult, SpecAllocResult


@dataclass(frozen=True)
class Pool:
    """A memory of the target.

    Attributes:
        mem_id: 1-based.
        size: in bytes; None for as much as is needed.
        alignment: of every offset in it, in bytes; a power of two.
    """

    mem_id: int
    size: int | None = None
    alignment: int = ALIGNMENT

    def __post_init__(self) -> None:
        if self.mem_id < 1:
            raise ValueError(f"memory ids begin at 1, got {self.mem_id}")
        if self.size is not None and self.size < 0:
            raise ValueError(f"memory {self.mem_id} has {self.size} bytes")
        calculate_aligned_num_bytes(0, self.alignment)


class PoolPlanner:
    """A planning algorithm that fills pools in the order given.

    Each pool keeps as many bytes of values as several orders of placing them allow; the others go to the next
    pool. Values whose `mem_id` is set stay in that memory.

    Args:
        pools: fastest first.

    Raises:
        ValueError: there is no pool, or two have the same id.
    """

    def __init__(self, pools: Sequence[Pool]) -> None:
        if not pools or len({pool.mem_id for pool in pools}) != len(pools):
            raise ValueError("PoolPlanner needs at least one pool, and a different mem_id for each")
        self.pools = tuple(pools)

    def __call__(
        self,
        alignment: int,
        specs: Collection[TensorSpec],
        graph_module: GraphModule | None = None,
        graph_signature: ExportGraphSignature | None = None,
        extra_padding: int = 0,
    ) -> MemoryAlgoResult:
        """Plans; see `algorithms.py`.

        Raises:
            MemoryPlanningError: values fit into no pool, or those that were put into one do not fit together.
        """
        result = MemoryAlgoResult()
        named = {pool.mem_id for pool in self.pools}
        others = sorted({spec.mem_id for spec in specs if spec.mem_id is not None} - named)
        waiting = [spec for spec in specs if spec.mem_id is None]
        for pool in (*self.pools, *(Pool(mem_id, None, alignment) for mem_id in others)):
            own = [spec for spec in specs if spec.mem_id == pool.mem_id]
            candidates = own + (waiting if pool.mem_id in named else [])
            kept = _fill(pool, max(pool.alignment, alignment), candidates, len(own), extra_padding, result)
            waiting = [spec for spec in waiting if spec not in kept]
        if waiting:
            raise MemoryPlanningError(
                f"{len(waiting)} values fit into no memory, the first is {waiting[0]!r}. Way out: give the last "
                "pool no size, or larger ones."
            )
        return result


def _fill(
    pool: Pool, alignment: int, specs: list[TensorSpec], fixed: int, padding: int, result: MemoryAlgoResult
) -> set[TensorSpec]:
    """Places what fits into a pool, the first `fixed` values in any case; returns what was placed."""
    blocks = blocks_of(specs, alignment)
    packing = best_packing(blocks)
    kept = np.ones(len(specs), dtype=bool)
    if pool.size is not None and packing.size + padding > pool.size:
        packing, kept = _best_choice(blocks, fixed, pool.size - padding)
        if not kept[:fixed].all():
            raise MemoryPlanningError(
                f"the values that were put into memory {pool.mem_id} need more than its {pool.size} bytes. "
                "Way out: leave their mem_id unset, so that they can spill."
            )
    for spec, (number, offset), is_kept in zip(specs, numbered(packing), kept, strict=True):
        if is_kept:
            result.spec_dict[spec] = SpecAllocResult(pool.mem_id, number, offset)
    result.bufsizes += [0] * (pool.mem_id + 1 - len(result.bufsizes))
    used = int((packing.offsets + blocks.sizes)[kept].max(initial=0))
    result.bufsizes[pool.mem_id] = used + padding if used else 0
    return {spec for spec, is_kept in zip(specs, kept, strict=True) if is_kept}


def _best_choice(blocks: Blocks, fixed: int, limit: int) -> tuple[Packing, np.ndarray]:
    """The packing below `limit` that keeps the most bytes, and which blocks it keeps; the first `fixed` go first."""
    choices = []
    for order in (*orders(blocks), np.argsort(blocks.sizes, kind="stable")):
        first = np.concatenate((order[order < fixed], order[order >= fixed]))
        packing, kept = pack_within(blocks, first, limit)
        choices.append((bool(kept[:fixed].all()), int(blocks.sizes[kept].sum()), packing, kept))
    _, _, packing, kept = max(choices, key=lambda choice: choice[:2])
    return packing, kept
