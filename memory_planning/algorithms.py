"""What algorithms are made of, and the two documented simple ones.

An algorithm is called as `algorithm(alignment, specs, graph_module, graph_signature, extra_padding)`. `specs` are
all values that need a place, each once, with `lifetime` set; a spec whose `mem_id` is set must stay in that
memory, the others go into memory 1. The algorithm returns a `MemoryAlgoResult` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec, calculate_aligned_num_bytes
from executorch.memory_planning.plan import DEFAULT_MEM_ID, MemoryAlgoResult, SpecAllocResult
from executorch.memory_planning.storage_bases import extend_lifetimes, owners, place_dependents


def aligned_bytes(spec: TensorSpec, alignment: int) -> int:
    """Bytes that a value occupies, rounded up so that what follows is aligned."""
    return calculate_aligned_num_bytes(spec.nbytes(), alignment)


def interval(spec: TensorSpec) -> tuple[int, int]:
    """First and last step in which the value is live, both included."""
    first, last = spec.lifetime
    if first is None or last is None:
        raise ValueError(f"{spec!r} has no lifetime")
    return first, last


def by_memory(specs: Iterable[TensorSpec]) -> dict[int, list[TensorSpec]]:
    """The values of each memory id, ids ascending, values in the given order."""
    groups: dict[int, list[TensorSpec]] = {}
    for spec in specs:
        groups.setdefault(DEFAULT_MEM_ID if spec.mem_id is None else spec.mem_id, []).append(spec)
    return dict(sorted(groups.items()))


def plan_by_memory(
    specs: Collection[TensorSpec],
    alignment: int,
    extra_padding: int,
    place: Callable[[Sequence[TensorSpec], int], Sequence[tuple[int, int]]],
) -> MemoryAlgoResult:
    """Runs `place`, which gives (location number, offset) to each of the values of one memory, for each memory.

    Args:
        extra_padding: bytes added at the end of each memory that holds anything.
    """
    result = MemoryAlgoResult()
    extend_lifetimes(specs)
    for mem_id, group in by_memory(owners(specs)).items():
        places = place(group, alignment)
        result.bufsizes += [0] * (mem_id + 1 - len(result.bufsizes))
        end = max(
            offset + aligned_bytes(spec, alignment) for spec, (_, offset) in zip(group, places, strict=True)
        )
        result.bufsizes[mem_id] = end + extra_padding if end else 0
        for spec, (number, offset) in zip(group, places, strict=True):
            result.spec_dict[spec] = SpecAllocResult(mem_id, number, offset)
    place_dependents(specs, result)
    return result


def _one_after_the_other(specs: Sequence[TensorSpec], alignment: int) -> list[tuple[int, int]]:
    places, end = [], 0
    for spec in specs:
        places.append((0, end))
        end += aligned_bytes(spec, alignment)
    return places


def naive(
    alignment: int,
    specs: Collection[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Gives each value bytes of its own: the upper bound that the others are compared with."""
    return plan_by_memory(specs, alignment, extra_padding, _one_after_the_other)


def greedy(
    alignment: int,
    specs: Collection[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
    *,
    allow_overlapping_allocations: bool = True,
) -> MemoryAlgoResult:
    """The documented reuse of locations, with the places that ExecuTorch 1.x gives.

    Values are taken by falling size. Each takes over the first location that no live value uses; if there is none
    and `allow_overlapping_allocations` is set, it goes behind the live values of the first location in which there
    is still room; otherwise it opens a location. The locations are laid out one after the other.
    """

    def place(group: Sequence[TensorSpec], alignment: int) -> list[tuple[int, int]]:
        # Among values of one size the last comes first, as in ExecuTorch 1.x.
        order = sorted(range(len(group)), key=lambda index: aligned_bytes(group[index], alignment))
        locations: list[SharedObject] = []
        chosen = {}
        for index in reversed(order):
            chosen[index] = _pick(locations, group[index], alignment, allow_overlapping_allocations)
        end = 0
        for location in locations:
            location.offset = end
            end += location.size
        return [(place[0].idx, place[0].offset + place[1].offset) for _, place in sorted(chosen.items())]

    return plan_by_memory(specs, alignment, extra_padding, place)


@dataclass
class AllocationSpec:
    """A value within a location: its offset from the location's beginning, in bytes."""

    offset: int
    spec: TensorSpec


@dataclass
class SharedObject:
    """A location: bytes that several values use one after the other, or beside each other.

    Attributes:
        idx: number within the memory.
        offset: from the memory's beginning, in bytes; -1 until the locations are laid out.
        size: in bytes.
        first_used_index, last_used_index: first and last step in which a value of the location is live.
        allocations: the values.
    """

    idx: int
    offset: int
    size: int
    first_used_index: int
    last_used_index: int
    allocations: list[AllocationSpec] = field(default_factory=list)

    def __post_init__(self) -> None:
        # One bit for each step in which a value is live: testing intervals one by one made `greedy` quadratic.
        self._steps = 0
        for allocation in self.allocations:
            self._steps |= _steps(allocation.spec)

    def is_free(self, spec: TensorSpec) -> bool:
        """True if no value of the location is live together with `spec`."""
        return not self._steps & _steps(spec)

    def live_end(self, spec: TensorSpec, alignment: int) -> int:
        """Where the last value ends that is live together with `spec`; 0 if there is none."""
        steps = _steps(spec)
        live = (allocation for allocation in self.allocations if _steps(allocation.spec) & steps)
        return max((item.offset + aligned_bytes(item.spec, alignment) for item in live), default=0)

    def add(self, offset: int, spec: TensorSpec) -> AllocationSpec:
        """Puts a value at an offset within the location."""
        first, last = interval(spec)
        self.first_used_index = min(self.first_used_index, first)
        self.last_used_index = max(self.last_used_index, last)
        self._steps |= _steps(spec)
        self.allocations.append(AllocationSpec(offset, spec))
        return self.allocations[-1]


def _steps(spec: TensorSpec) -> int:
    first, last = interval(spec)
    return (1 << (last + 1)) - (1 << first)


def _pick(
    shared_objects: list[SharedObject], spec: TensorSpec, alignment: int, is_shared: bool
) -> tuple[SharedObject, AllocationSpec]:
    size = aligned_bytes(spec, alignment)
    for location in shared_objects:
        if location.is_free(spec):
            return location, location.add(0, spec)
    for location in shared_objects if is_shared else ():
        end = location.live_end(spec, alignment)
        if end + size <= location.size:
            return location, location.add(end, spec)
    location = SharedObject(len(shared_objects), -1, size, *interval(spec))
    shared_objects.append(location)
    return location, location.add(0, spec)


def pick_shared_obj(
    shared_objects: list[SharedObject], spec: TensorSpec, allow_overlapping_allocations: bool = True
) -> SharedObject:
    """One step of `greedy`: puts `spec` into one of the locations, or into a new one, and returns it.

    Values must come by falling size, so that every location is large enough.
    """
    return _pick(shared_objects, spec, spec.alignment, allow_overlapping_allocations)[0]
