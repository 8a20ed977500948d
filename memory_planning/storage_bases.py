"""Values that lie within the bytes of another one: results of in-place operators, and parts of a larger value.

`TensorSpec.storage_base` says whose bytes they are. Algorithms place the bases only, with the lifetimes of everything
that lies in them; the others follow.
"""

from __future__ import annotations

from collections.abc import Collection

from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.plan import MemoryAlgoResult, SpecAllocResult


def owner_of(spec: TensorSpec) -> tuple[TensorSpec, int]:
    """The spec at the end of the chain of bases, and the offset of `spec` within it, in bytes.

    Raises:
        MemoryPlanningError: the chain is a circle.
    """
    offset, seen = 0, {spec}
    while spec.storage_base is not None:
        offset += spec.storage_base_offset
        spec = spec.storage_base
        if spec in seen:
            raise MemoryPlanningError(f"{spec!r} is a storage base of itself")
        seen.add(spec)
    return spec, offset


def extend_lifetimes(specs: Collection[TensorSpec]) -> None:
    """Lets every base live as long as what lies in it."""
    for spec in specs:
        owner, _ = owner_of(spec)
        steps = [step for step in (*owner.lifetime, *spec.lifetime) if step is not None]
        if owner is not spec and steps:
            owner.lifetime = [min(steps), max(steps)]


def owners(specs: Collection[TensorSpec]) -> list[TensorSpec]:
    """The specs that an algorithm places itself: those whose bytes belong to none of the others."""
    known = set(specs)
    return [spec for spec in specs if owner_of(spec)[0] is spec or owner_of(spec)[0] not in known]


def place_dependents(specs: Collection[TensorSpec], result: MemoryAlgoResult) -> None:
    """Adds the places of the other specs to a plan.

    Raises:
        MemoryPlanningError: one of them reaches beyond its base.
    """
    for spec in specs:
        if spec in result.spec_dict:
            continue
        owner, offset = owner_of(spec)
        if offset < 0 or offset + spec.nbytes() > owner.nbytes():
            raise MemoryPlanningError(
                f"{spec!r} has bytes {offset} to {offset + spec.nbytes()} of its storage base, which has {owner.nbytes()}"
            )
        place = result.spec_dict[owner]
        result.spec_dict[spec] = SpecAllocResult(place.mem_id, place.mem_obj_id, place.mem_offset + offset)
