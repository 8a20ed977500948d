"""What a plan of memory has to keep to: values within others, values at fixed places, memories that values may not be in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.backends.cadence.compile_mode import CompileMode
from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec


@dataclass(frozen=True)
class RelativePlacementConstraint:
    """A value lies ``offset`` bytes behind where the value of ``source`` begins, within it."""

    source: Node
    offset: int = 0


@dataclass(frozen=True)
class AbsolutePlacementConstraint:
    """A value lies in memory ``pinned_memory_id``, at ``offset`` if that is not None."""

    pinned_memory_id: int
    offset: int | None = None


class MemConstraints:
    """The constraints of one graph.

    Args:
        mode: how hard planning tries.
        alloc_graph_input, alloc_graph_output: whether inputs and outputs are planned; others have no place that could be chosen.
    """

    def __init__(
        self,
        mode: CompileMode = CompileMode.DEFAULT,
        alloc_graph_input: bool = True,
        alloc_graph_output: bool = True,
    ) -> None:
        self.mode = mode
        self.alloc_graph_input = alloc_graph_input
        self.alloc_graph_output = alloc_graph_output
        self._relative: dict[TensorSpec, RelativePlacementConstraint] = {}
        self._absolute: dict[TensorSpec, AbsolutePlacementConstraint] = {}
        self._blocked: defaultdict[TensorSpec, set[int]] = defaultdict(set)

    def add_relative_placement_constraint(
        self, source: Node, dependent: Node, offset: int = 0, update_lifetime: bool = True
    ) -> None:
        """Lets ``dependent`` lie within the value of ``source``.

        Args:
            source: whose bytes they are.
            dependent: what lies in them.
            offset: in bytes.
            update_lifetime: let the source live as long as what lies in it. (In a whole plan it always does.)

        Raises:
            RuntimeError: ``dependent`` has a fixed place, which the source could not begin at.
        """
        spec, base = _spec(dependent), _spec(source)
        absolute = self._absolute.get(spec)
        if absolute is not None and offset:
            raise RuntimeError(
                f"Cannot add relative placement constraint for {dependent.name} with non-zero offset {offset} when it "
                f"has an absolute placement constraint {absolute}"
            )
        if absolute is not None:
            self._absolute[base] = self._absolute.pop(spec)
        self._relative[spec] = RelativePlacementConstraint(source, offset)
        steps = [step for step in (*base.lifetime, *spec.lifetime) if step is not None]
        if update_lifetime and steps:
            base.lifetime = [min(steps), max(steps)]

    def get_relative_placement_source(self, node: Node) -> RelativePlacementConstraint | None:
        """Where a node's value lies within another; None if it has bytes of its own."""
        return self._relative.get(_spec(node))

    def add_absolute_placement_constraint(
        self, node: Node, pinned_memory_id: int, offset: int | None = None
    ) -> None:
        """Fixes the memory of a node's value, and where it begins in it."""
        self.pin(_spec(node), pinned_memory_id, offset)

    def pin(self, spec: TensorSpec, pinned_memory_id: int, offset: int | None = None) -> None:
        """As ``add_absolute_placement_constraint``, for a spec."""
        self._absolute[spec] = AbsolutePlacementConstraint(pinned_memory_id, offset)

    def get_absolute_placement_constraint(self, spec: TensorSpec) -> AbsolutePlacementConstraint | None:
        """The fixed place of a value; None if it has none."""
        return self._absolute.get(spec)

    def add_mem_id_to_blocklist(self, spec: TensorSpec, mem_id: int) -> None:
        """Keeps a value out of a memory."""
        self._blocked[spec].add(mem_id)

    def is_mem_id_in_blocklist(self, spec: TensorSpec, mem_id: int) -> bool:
        """Whether a value may not be in a memory, or one that lies within it may not."""
        inside = (dependent for dependent in self._relative if self._owner(dependent)[0] is spec)
        return any(mem_id in self._blocked.get(one, ()) for one in (spec, *inside))

    def relative_loc_constraints_exist(self) -> bool:
        """Whether any value lies within another."""
        return bool(self._relative)

    def skipped_spec(self, spec: TensorSpec) -> bool:
        """Whether a value gets its place with another one."""
        return spec in self._relative

    def dependents(self) -> Iterator[tuple[TensorSpec, TensorSpec, int]]:
        """Each value that lies within another, the one that has the bytes, and the offset in it."""
        for spec in self._relative:
            yield spec, *self._owner(spec)

    def bind(self) -> None:
        """Tells the specs, whose planning then keeps to it."""
        for spec, constraint in self._relative.items():
            spec.storage_base = _spec(constraint.source)
            spec.storage_base_offset = constraint.offset

    def _owner(self, spec: TensorSpec) -> tuple[TensorSpec, int]:
        offset = 0
        while (constraint := self._relative.get(spec)) is not None:
            offset += constraint.offset
            spec = _spec(constraint.source)
        return spec, offset


def _spec(node: Node) -> TensorSpec:
    spec = node.meta[meta_keys.SPEC]
    assert isinstance(spec, TensorSpec), node
    return spec


#: Makes a pass that adds constraints, of the constraints to add to.
ConstraintsGenPass: TypeAlias = Callable[[MemConstraints], Callable[[GraphModule], "PassResult | Any"]]

__all__ = [
    "AbsolutePlacementConstraint",
    "ConstraintsGenPass",
    "MemConstraints",
    "RelativePlacementConstraint",
]
