"""Questions about a plan that has been made: who overlaps whom, and what has a place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.timeline import Role, Storage, build_timeline


class Verifier:
    """Looks at the plan of a graph; the pass itself uses the faster `check_plan`.

    Args:
        graph_module: a graph that `MemoryPlanningPass` has planned.
        alloc_graph_input, alloc_graph_output, alloc_mutable_buffers: the flags of the pass.
        graph_signature: the one that was given to the pass.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        alloc_graph_input: bool,
        alloc_graph_output: bool,
        alloc_mutable_buffers: bool = True,
        graph_signature: ExportGraphSignature | None = None,
    ) -> None:
        self.graph_module = graph_module
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self.alloc_mutable_buffers = alloc_mutable_buffers
        self._timeline = build_timeline(graph_module, graph_signature)

    @classmethod
    def has_overlap(cls, lhs_ivl: Sequence[int | None], rhs_ivl: Sequence[int | None]) -> bool:
        """True if two intervals, ends included, have a step in common; an interval with None has no steps."""
        if None in lhs_ivl or None in rhs_ivl:
            return False
        return lhs_ivl[0] <= rhs_ivl[1] and rhs_ivl[0] <= lhs_ivl[1]  # type: ignore[operator]

    @classmethod
    def lifetime_overlap(cls, lhs_spec: TensorSpec, rhs_spec: TensorSpec) -> bool:
        """True if two values are live at the same time."""
        return cls.has_overlap(lhs_spec.lifetime, rhs_spec.lifetime)

    @classmethod
    def storage_overlap(cls, lhs_spec: TensorSpec, rhs_spec: TensorSpec) -> bool:
        """True if two values have bytes in common; one that has no place has none."""
        begin, other_begin = lhs_spec.mem_offset, rhs_spec.mem_offset
        if begin is None or other_begin is None or lhs_spec.mem_id != rhs_spec.mem_id:
            return False
        if not lhs_spec.nbytes() or not rhs_spec.nbytes():
            return False
        return begin < other_begin + rhs_spec.nbytes() and other_begin < begin + lhs_spec.nbytes()

    @classmethod
    def mem_obj_id_match(
        cls, lhs_spec: TensorSpec, rhs_spec: TensorSpec, accept_both_none: bool = True
    ) -> bool:
        """True if two values have the same location; `accept_both_none`: also when neither has one."""
        if lhs_spec.mem_id != rhs_spec.mem_id:
            return False
        if lhs_spec.mem_obj_id is None and rhs_spec.mem_obj_id is None:
            return accept_both_none
        return lhs_spec.mem_obj_id == rhs_spec.mem_obj_id

    def _planned(self) -> list[Storage]:
        return list(
            self._timeline.planned(
                self.alloc_graph_input, self.alloc_graph_output, self.alloc_mutable_buffers
            )
        )

    def verify_storage_reuse(self, allow_lifetime_and_storage_overlap: bool = False) -> int:
        """The number of pairs of values that share bytes.

        Raises:
            MemoryPlanningError: such a pair is live at the same time, and that is not allowed.
        """
        pairs = 0
        for one, other in itertools.combinations([storage.leader for storage in self._planned()], 2):
            if not self.storage_overlap(one, other):
                continue
            pairs += 1
            if not allow_lifetime_and_storage_overlap and self.lifetime_overlap(one, other):
                raise MemoryPlanningError(f"{one!r} and {other!r} share bytes and are live at the same time")
        return pairs

    def verify_graph_input_output(self) -> None:
        """Checks that inputs, outputs and mutable buffers have a place if, and only if, the flags say so.

        Raises:
            MemoryPlanningError: one of them does not.
        """
        expected = set(self._planned())
        for storage in self._timeline.storages:
            if storage.role not in (Role.INPUT, Role.OUTPUT, Role.MUTABLE_BUFFER):
                continue
            has_place = storage.leader.mem_offset is not None
            if has_place != (storage in expected):
                must = "must" if storage in expected else "must not"
                raise MemoryPlanningError(f"the {storage.role.value} {storage.leader!r} {must} have a place")
