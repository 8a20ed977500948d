"""Placing values in a hierarchy of memories, under constraints."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Sequence

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.backends.cadence.compile_mode import CompileMode
from executorch.backends.cadence.memory.config import MemoryConfig
from executorch.backends.cadence.memory.constraints import (
    AbsolutePlacementConstraint,
    ConstraintsGenPass,
    MemConstraints,
)
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.algorithms import interval
from executorch.memory_planning.errors import MemoryPlanningError


def get_aligned_offset(pre_aligned_offset: int, alignment: int) -> int:
    """An offset rounded up to a multiple of ``alignment``, any positive number."""
    return -(-pre_aligned_offset // alignment) * alignment


class MemoryPlanningState:
    """What has been placed.

    Attributes:
        allocated_buffers: the values in each memory, by id; entry 0 is reserved.
        bufsizes: bytes that are used of each.
    """

    def __init__(self, memory_config: MemoryConfig) -> None:
        self.num_memories = memory_config.get_num_memories()
        self.alignment = [1, *(memory_config.get_alignment(one) for one in range(1, self.num_memories))]
        self.allocated_buffers: list[list[TensorSpec]] = [[] for _ in range(self.num_memories)]
        self.bufsizes = [0] * self.num_memories

    def place_spec(self, spec: TensorSpec) -> None:
        """Counts a value in that has its place."""
        assert spec.mem_id is not None and spec.mem_offset is not None, spec
        self.allocated_buffers[spec.mem_id].append(spec)
        end = spec.mem_offset + spec.allocated_memory
        self.bufsizes[spec.mem_id] = max(self.bufsizes[spec.mem_id], end)

    def is_placed(self, spec: TensorSpec) -> bool:
        """Whether a value was counted in."""
        return any(spec is one for memory in self.allocated_buffers for one in memory)

    def get_overlapping_spec(self, spec: TensorSpec) -> TensorSpec | None:
        """A value that is live together with one, where that one lies; None if its place is free."""
        return next((one for one in self._live_with(spec) if _meet(one, spec)), None)

    def first_gap(self, spec: TensorSpec, mem_id: int) -> int:
        """The lowest offset in a memory that is free as long as a value lives."""
        offset, alignment = 0, self.alignment[mem_id]
        for one in sorted(self._live_with(spec, mem_id), key=lambda placed: placed.mem_offset or 0):
            begin = one.mem_offset or 0
            if offset + spec.allocated_memory <= begin:
                break
            offset = max(offset, get_aligned_offset(begin + one.allocated_memory, alignment))
        return offset

    def _live_with(self, spec: TensorSpec, mem_id: int | None = None) -> list[TensorSpec]:
        memory = spec.mem_id if mem_id is None else mem_id
        assert memory is not None, spec
        first, last = interval(spec)
        return [
            one
            for one in self.allocated_buffers[memory]
            if interval(one)[0] <= last and first <= interval(one)[1]
        ]

    def __str__(self) -> str:
        return f"MemoryPlanningState(bufsizes={self.bufsizes})"


def _meet(one: TensorSpec, other: TensorSpec) -> bool:
    first, second = one.mem_offset or 0, other.mem_offset or 0
    return first < second + other.allocated_memory and second < first + one.allocated_memory


class MemoryPlanningAlgo(abc.ABC):
    """Places values: those with a fixed place first, then those with a fixed memory, then the others.

    As an algorithm of ``executorch.memory_planning`` it places what that asks for; values that lie within others get their
    places there. ``plan_with_constraints`` places them as well.

    Args:
        memory_config: the memories.
        mode: how hard planning tries.
        alloc_graph_input, alloc_graph_output: whether inputs and outputs are planned.
        additional_constraint_gen_passes: the caller's own, see ``CadenceMemoryPlanning``.
    """

    def __init__(
        self,
        memory_config: MemoryConfig,
        mode: CompileMode = CompileMode.DEFAULT,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
        additional_constraint_gen_passes: Sequence[ConstraintsGenPass] | None = None,
    ) -> None:
        self.memory_config = memory_config
        self.mode = mode
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self.additional_constraint_gen_passes = additional_constraint_gen_passes
        self.constraints = MemConstraints(mode, alloc_graph_input, alloc_graph_output)

    def get_num_memories(self) -> int:
        """How many ids there are, with 0, which is reserved."""
        return self.memory_config.get_num_memories()

    def get_size(self, exir_id: int) -> int:
        """Bytes of a memory."""
        return self.memory_config.get_size(exir_id)

    def get_alignment(self, exir_id: int) -> int:
        """What offsets in a memory are multiples of."""
        return self.memory_config.get_alignment(exir_id)

    @abc.abstractmethod
    def plan(
        self,
        specs: Iterable[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None,
        state: MemoryPlanningState,
        placement_constraints: MemConstraints,
        extra_padding: int = 0,
    ) -> None:
        """Places values that may be anywhere, one by one with :meth:`place`."""

    def place(
        self,
        spec: TensorSpec,
        state: MemoryPlanningState,
        placement_constraints: MemConstraints,
        extra_padding: int = 0,
        memory: int | None = None,
    ) -> None:
        """Places a value in the first memory that it may be in and that has room, or in ``memory``.

        Raises:
            MemoryPlanningError: none has.
        """
        for mem_id in range(1, self.get_num_memories()) if memory is None else [memory]:
            offset = state.first_gap(spec, mem_id)
            end = offset + spec.allocated_memory + extra_padding
            if end > self.get_size(mem_id) or placement_constraints.is_mem_id_in_blocklist(spec, mem_id):
                continue
            spec.mem_id, spec.mem_offset = mem_id, offset
            state.place_spec(spec)
            return
        raise MemoryPlanningError(
            f"{spec!r} of {spec.allocated_memory} bytes fits into no memory that it may be in, of "
            f"{self.memory_config.memory_sizes} bytes\nWay out: larger memories, or one more behind them"
        )

    def plan_with_constraints(
        self,
        specs: Iterable[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None,
        state: MemoryPlanningState,
        placement_constraints: MemConstraints,
        extra_padding: int = 0,
    ) -> None:
        """Places all values, those within others too.

        Raises:
            MemoryPlanningError: a value fits nowhere, or two have places that overlap.
        """
        known = list(specs)
        own = [spec for spec in known if not placement_constraints.skipped_spec(spec)]
        fixed: dict[TensorSpec, AbsolutePlacementConstraint] = {
            spec: place
            for spec in own
            if (place := placement_constraints.get_absolute_placement_constraint(spec)) is not None
        }
        for spec, place in fixed.items():
            if place.offset is not None:
                spec.mem_id, spec.mem_offset = place.pinned_memory_id, place.offset
                taken = state.get_overlapping_spec(spec)
                if taken is not None:
                    raise MemoryPlanningError(f"{spec!r} and {taken!r} have places that overlap")
                state.place_spec(spec)
        for spec in sorted(fixed, key=lambda one: -one.allocated_memory):
            if fixed[spec].offset is None:
                self.place(spec, state, placement_constraints, extra_padding, fixed[spec].pinned_memory_id)
        rest = [spec for spec in own if spec not in fixed]
        self.plan(rest, graph_module, graph_signature, state, placement_constraints, extra_padding)
        for dependent, owner, offset in placement_constraints.dependents():
            if owner.mem_offset is not None and dependent in known:
                dependent.mem_id, dependent.mem_offset = owner.mem_id, owner.mem_offset + offset

    def __call__(
        self,
        alignment: int,
        specs: Iterable[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None = None,
        extra_padding: int = 0,
    ) -> list[int]:
        """Places values for ``executorch.memory_planning``; returns the bytes of each memory, by id."""
        state = MemoryPlanningState(self.memory_config)
        known = list(specs)
        for spec in known:
            # A memory that was set by hand, as every planning algorithm keeps it.
            if spec.mem_id is not None and self.constraints.get_absolute_placement_constraint(spec) is None:
                self.constraints.pin(spec, spec.mem_id)
        self.plan_with_constraints(
            known, graph_module, graph_signature, state, self.constraints, extra_padding
        )
        for number, spec in enumerate(known):
            spec.mem_obj_id = number
        used = max((one for one, size in enumerate(state.bufsizes) if size), default=1)
        return state.bufsizes[: used + 1]


class PositionBasedGreedyWithHierarchy(MemoryPlanningAlgo):
    """Places the largest values first, each at the lowest free offset of the first memory with room."""

    def plan(
        self,
        specs: Iterable[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None,
        state: MemoryPlanningState,
        placement_constraints: MemConstraints,
        extra_padding: int = 0,
    ) -> None:
        for spec in sorted(specs, key=lambda one: (-one.allocated_memory, interval(one))):
            self.place(spec, state, placement_constraints, extra_padding)


class GreedyWithHeuristic(MemoryPlanningAlgo):
    """Places the values that live longest first, of those the larger ones: they bound what the others can share."""

    def plan(
        self,
        specs: Iterable[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None,
        state: MemoryPlanningState,
        placement_constraints: MemConstraints,
        extra_padding: int = 0,
    ) -> None:
        def order(spec: TensorSpec) -> tuple[int, int, int]:
            first, last = interval(spec)
            return first - last, -spec.allocated_memory, first

        for spec in sorted(specs, key=order):
            self.place(spec, state, placement_constraints, extra_padding)


__all__ = [
    "GreedyWithHeuristic",
    "MemoryPlanningAlgo",
    "MemoryPlanningState",
    "PositionBasedGreedyWithHierarchy",
    "get_aligned_offset",
]
