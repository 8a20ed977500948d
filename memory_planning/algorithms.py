"""The contract between the pass and its algorithms, and the two documented simple ones.

An algorithm is called as `algorithm(alignment, specs, graph_module, graph_signature, extra_padding)`. `specs` are
all values that need a place, each once, with `lifetime` set; a spec whose `mem_id` is set must stay in that
memory, the others go into memory 1. The algorithm returns a `MemoryAlgoResult` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec, calculate_aligned_num_bytes

DEFAULT_MEM_ID = 1


@dataclass
class SpecAllocResult:
    """Place of one value: memory, number of the location within the plan, offset in bytes."""

    mem_id: int
    mem_obj_id: int
    mem_offset: int


@dataclass
class MemoryAlgoResult:
    """A plan.

    Attributes:
        spec_dict: the place of each value.
        bufsizes: size in bytes of each memory, by id; entry 0 is reserved and 0.
    """

    spec_dict: dict[TensorSpec, SpecAllocResult] = field(default_factory=dict)
    bufsizes: list[int] = field(default_factory=lambda: [0])


MemoryAlgorithm = Callable[
    [int, Set[TensorSpec], GraphModule, "ExportGraphSignature | None", int], MemoryAlgoResult
]


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
    specs: Iterable[TensorSpec],
    alignment: int,
    extra_padding: int,
    place: Callable[[Sequence[TensorSpec], int], Sequence[int]],
) -> MemoryAlgoResult:
    """Runs `place`, which gives an offset to each of the values of one memory, for each memory.

    Args:
        extra_padding: bytes added at the end of each memory that holds anything.
    """
    result = MemoryAlgoResult()
    for mem_id, group in by_memory(specs).items():
        offsets = place(group, alignment)
        result.bufsizes += [0] * (mem_id + 1 - len(result.bufsizes))
        ends = [offset + aligned_bytes(spec, alignment) for spec, offset in zip(group, offsets, strict=True)]
        result.bufsizes[mem_id] = max(ends) + extra_padding
        numbers: dict[int, int] = {}
        for spec, offset in zip(group, offsets, strict=True):
            number = numbers.setdefault(offset, len(numbers))
            result.spec_dict[spec] = SpecAllocResult(mem_id, number, offset)
    return result


def _one_after_the_other(specs: Sequence[TensorSpec], alignment: int) -> list[int]:
    offsets, end = [], 0
    for spec in specs:
        offsets.append(end)
        end += aligned_bytes(spec, alignment)
    return offsets


def naive(
    alignment: int,
    specs: Set[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Gives each value bytes of its own: the upper bound that the others are compared with."""
    return plan_by_memory(specs, alignment, extra_padding, _one_after_the_other)


@dataclass
class _Shared:
    """Bytes that several values use one after the other."""

    size: int
    users: list[TensorSpec]

    def is_free(self, spec: TensorSpec) -> bool:
        first, last = interval(spec)
        return all(last < begin or end < first for begin, end in map(interval, self.users))


def _closest_in_size(specs: Sequence[TensorSpec], alignment: int) -> list[int]:
    shared: list[_Shared] = []
    chosen: dict[TensorSpec, _Shared] = {}
    for spec in sorted(specs, key=lambda spec: -aligned_bytes(spec, alignment)):
        size = aligned_bytes(spec, alignment)
        # Values come by falling size, so every existing location is large enough; the smallest fits best.
        free = [place for place in shared if place.is_free(spec)]
        place = min(free, key=lambda place: place.size, default=None)
        if place is None:
            place = _Shared(size, [])
            shared.append(place)
        place.users.append(spec)
        chosen[spec] = place
    starts, end = {}, 0
    for place in shared:
        starts[id(place)] = end
        end += place.size
    return [starts[id(chosen[spec])] for spec in specs]


def greedy(
    alignment: int,
    specs: Set[TensorSpec],
    graph_module: GraphModule | None = None,
    graph_signature: ExportGraphSignature | None = None,
    extra_padding: int = 0,
) -> MemoryAlgoResult:
    """Best-fit reuse: a value takes over the location closest in size that no live value uses.

    Locations are then laid out one after the other. Values are taken by falling size.
    """
    return plan_by_memory(specs, alignment, extra_padding, _closest_in_size)
