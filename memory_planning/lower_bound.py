"""How small a plan can be: values that live at the same time need bytes of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import aligned_bytes, by_memory, interval


def live_bytes(sizes: Sequence[int], first: Sequence[int], last: Sequence[int]) -> list[tuple[int, int]]:
    """(step, bytes live in it) for each step at which a value begins, steps ascending."""
    change: dict[int, int] = {}
    for size, begin, end in zip(sizes, first, last, strict=True):
        change[begin] = change.get(begin, 0) + size
        change[end + 1] = change.get(end + 1, 0) - size
    begins = set(first)
    totals, total = [], 0
    for step in sorted(change):
        total += change[step]
        if step in begins:
            totals.append((step, total))
    return totals


def largest_live_set(sizes: Sequence[int], first: Sequence[int], last: Sequence[int]) -> int:
    """Bytes of the largest set of values that live at the same time; no plan can be smaller."""
    return max((total for _, total in live_bytes(sizes, first, last)), default=0)


def lower_bound(specs: Iterable[TensorSpec], alignment: int) -> dict[int, int]:
    """Memory id -> the least bytes that any plan of these values needs in it, sizes rounded up to `alignment`."""
    bounds = {}
    for mem_id, group in by_memory(specs).items():
        intervals = [interval(spec) for spec in group]
        sizes = [aligned_bytes(spec, alignment) for spec in group]
        bounds[mem_id] = largest_live_set(sizes, [i[0] for i in intervals], [i[1] for i in intervals])
    return bounds
