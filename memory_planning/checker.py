"""Proves a plan: places are inside their memories and aligned, and no two live values overlap."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence

from executorch.dialects.errors import describe_node
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import interval
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.timeline import Storage


def check_plan(
    storages: Iterable[Storage], bufsizes: Sequence[int], alignment: int, allow_overlap: bool = False
) -> None:
    """Raises `MemoryPlanningError` with everything that is wrong with a plan.

    Time grows with n log n for n storages, so the check runs on every plan.

    Args:
        storages: what was planned.
        bufsizes: bytes of each memory, by id.
        alignment: of every offset, in bytes.
        allow_overlap: skip the check that live values do not overlap.
    """
    storages = list(storages)
    problems = [problem for storage in storages for problem in _misplaced(storage, bufsizes, alignment)]
    if not problems and not allow_overlap:
        problems = _overlaps(storages)
    if problems:
        shown = "\n".join(f"  - {problem}" for problem in problems[:20])
        raise MemoryPlanningError(
            f"the memory plan is wrong ({len(problems)} problems):\n{shown}\n"
            "Way out: correct the memory_planning_algo that made it."
        )


def _name(storage: Storage) -> str:
    return describe_node(storage.node) if storage.node is not None else repr(storage.leader)


def _misplaced(storage: Storage, bufsizes: Sequence[int], alignment: int) -> list[str]:
    spec = storage.leader
    mem_id, offset = spec.mem_id, spec.mem_offset
    if mem_id is None or offset is None:
        return [f"{_name(storage)}: has no place (memory {mem_id}, offset {offset})"]
    if not 1 <= mem_id < len(bufsizes):
        return [
            f"{_name(storage)}: is in memory {mem_id}, but there are memories 1 to {len(bufsizes) - 1} only"
        ]
    problems = []
    if offset % alignment:
        problems.append(f"{_name(storage)}: its offset {offset} is not a multiple of {alignment}")
    if offset < 0 or offset + spec.nbytes() > bufsizes[mem_id]:
        problems.append(
            f"{_name(storage)}: bytes {offset} to {offset + spec.nbytes()} are outside memory {mem_id} "
            f"of {bufsizes[mem_id]} bytes"
        )
    return problems


def _overlaps(storages: Sequence[Storage]) -> list[str]:
    """Sweeps over the steps with the live storages sorted by address; only neighbours can overlap first."""
    begins: dict[int, list[Storage]] = {}
    ends: dict[int, list[Storage]] = {}
    for storage in storages:
        if storage.leader.nbytes():
            first, last = interval(storage.leader)
            begins.setdefault(first, []).append(storage)
            ends.setdefault(last + 1, []).append(storage)
    live: list[tuple[int, int, int]] = []
    at: dict[int, Storage] = {index: storage for index, storage in enumerate(storages)}
    number = {id(storage): index for index, storage in at.items()}
    problems = []
    for step in sorted({*begins, *ends}):
        for storage in ends.get(step, []):
            key = _key(storage.leader, number[id(storage)])
            position = bisect.bisect_left(live, key)
            if position < len(live) and live[position] == key:
                del live[position]
        for storage in begins.get(step, []):
            key = _key(storage.leader, number[id(storage)])
            position = bisect.bisect_left(live, key)
            neighbours = [at[live[i][2]] for i in (position - 1, position) if 0 <= i < len(live)]
            clash = next((other for other in neighbours if _share_bytes(storage.leader, other.leader)), None)
            if clash is None:
                live.insert(position, key)
            else:
                problems.append(_describe(storage, clash))
    return problems


def _key(spec: TensorSpec, number: int) -> tuple[int, int, int]:
    assert spec.mem_id is not None and spec.mem_offset is not None
    return spec.mem_id, spec.mem_offset, number


def _share_bytes(one: TensorSpec, other: TensorSpec) -> bool:
    mem_id, begin, _ = _key(one, 0)
    other_mem_id, other_begin, _ = _key(other, 0)
    overlaps = begin < other_begin + other.nbytes() and other_begin < begin + one.nbytes()
    return mem_id == other_mem_id and overlaps


def _describe(one: Storage, other: Storage) -> str:
    def place(storage: Storage) -> str:
        spec = storage.leader
        mem_id, begin, _ = _key(spec, 0)
        first, last = interval(spec)
        end = begin + spec.nbytes()
        return f"{_name(storage)} (memory {mem_id}, bytes {begin} to {end}, steps {first} to {last})"

    return f"{place(one)} overlaps {place(other)}"
