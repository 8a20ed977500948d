"""Planning for targets with several memories of known size: a fast one that is small, slower ones that are larger.

Each bank is a memory id with a capacity. Values go into the first bank, in the order of their declaration, that still
has room, and spill into the next. A value whose `mem_id` was set by hand is pinned: it stays in that bank, and room
for it is set aside before any other value is placed.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects import meta_keys
from executorch.dialects.execution import flatten_specs
from executorch.dialects.tensor_spec import ALIGNMENT, DeviceType, TensorSpec
from executorch.memory_planning.algorithms import SharedObject, aligned_bytes, interval
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.memory_planning_pass import BUFFER_SIZES, MemoryPlanningPass
from executorch.memory_planning.plan import MemoryAlgoResult, SpecAllocResult
from executorch.memory_planning.storage_bases import extend_lifetimes, owners, place_dependents
from executorch.memory_planning.suite import MemoryPlanningAlgorithmSuite

_LOG = logging.getLogger(__name__)


class BankPlacementError(MemoryPlanningError):
    """The values of a method do not fit the banks of the target."""


@dataclass(frozen=True)
class Bank:
    """One memory of a target.

    Attributes:
        name: for messages.
        size: capacity in bytes.
        mem_id: of the memory in the program, from 1.
        alignment: of offsets in the bank, in bytes, a multiple of the plan's; None for the plan's.
    """

    name: str
    size: int
    mem_id: int
    alignment: int | None = None

    def _problem(self) -> str | None:
        if self.size <= 0:
            return f"non-positive size {self.size}"
        if self.mem_id < 1:
            return f"mem_id {self.mem_id}; arena 0 is reserved for constants, banks have 1 and up"
        if self.alignment is not None and self.alignment <= 0:
            return f"non-positive alignment {self.alignment}"
        return None


class TargetMemoryMap:
    """The banks of a target, the preferred one first.

    Raises:
        ValueError: no bank, two with one name or one memory id, or one without room.
    """

    def __init__(self, banks: Sequence[Bank]) -> None:
        if not banks:
            raise ValueError("a target memory map needs at least one bank")
        self.banks = list(banks)
        for bank in self.banks:
            if problem := bank._problem():
                raise ValueError(f"bank {bank.name} has {problem}")
        for what, counts in (
            ("bank names", Counter[Any](bank.name for bank in self.banks)),
            ("mem_ids", Counter[Any](bank.mem_id for bank in self.banks)),
        ):
            twice = {key for key, count in counts.items() if count > 1}
            if twice:
                raise ValueError(f"Duplicate {what} in target memory map: {twice}")
        self._by_id = {bank.mem_id: bank for bank in self.banks}

    def manages(self, mem_id: int) -> bool:
        """Whether a bank has this memory id."""
        return mem_id in self._by_id

    def bank(self, mem_id: int) -> Bank:
        """The bank with this memory id.

        Raises:
            ValueError: there is none.
        """
        if mem_id not in self._by_id:
            raise ValueError(f"mem_id {mem_id} is not in the target memory map: {self.describe()}")
        return self._by_id[mem_id]

    def mem_id(self, name: str) -> int:
        """The memory id of the bank with this name.

        Raises:
            ValueError: there is none.
        """
        for bank in self.banks:
            if bank.name == name:
                return bank.mem_id
        raise ValueError(f"No bank named {name!r} in the target memory map: {self.describe()}")

    def mem_ids(self) -> list[int]:
        """Memory ids of the banks, the preferred one first."""
        return [bank.mem_id for bank in self.banks]

    def describe(self) -> str:
        """The banks on one line."""
        return ", ".join(f"{bank.name}(mem_id={bank.mem_id}, size={bank.size})" for bank in self.banks)


@dataclass
class _Arena:
    """A memory while it is being filled; `limit` is None for memories outside the map, `reserved` bytes are taken."""

    mem_id: int
    alignment: int
    limit: int | None
    reserved: int = 0
    objects: list[SharedObject] = field(default_factory=list)

    @property
    def used(self) -> int:
        return self.reserved + sum(location.size for location in self.objects)

    def place(self, spec: TensorSpec, overlapping: bool) -> tuple[SharedObject, int] | None:
        """A location and the offset within it; None if there is no room."""
        size = aligned_bytes(spec, self.alignment)
        for location in self.objects:
            if size <= location.size and location.is_free(spec):
                return location, location.add(0, spec).offset
        for location in self.objects if overlapping else ():
            end = location.live_end(spec, self.alignment)
            if end + size <= location.size:
                return location, location.add(end, spec).offset
        if self.limit is not None and self.used + size > self.limit:
            return None
        location = SharedObject(len(self.objects), -1, size, *interval(spec))
        self.objects.append(location)
        return location, location.add(0, spec).offset


class BankedGreedy:
    """`greedy` with capacities; an algorithm for `MemoryPlanningPass` and `MemoryPlanningAlgorithmSuite`.

    Values are taken by falling size. In each bank a value first shares a location, as in `greedy`; a location is
    opened only while the bank has room. Memories that no bank has hold pinned values only and have no limit.

    Args:
        target: the banks.
        allow_overlapping_allocations: let a value lie beside a live one within a location.
    """

    __name__ = "banked_greedy"

    def __init__(self, target: TargetMemoryMap, allow_overlapping_allocations: bool = True) -> None:
        self.target = target
        self.allow_overlapping_allocations = allow_overlapping_allocations

    def __call__(
        self,
        alignment: int,
        specs: Collection[TensorSpec],
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature | None = None,
        extra_padding: int = 0,
    ) -> MemoryAlgoResult:
        """Plans `specs`; see `algorithms.py`.

        Raises:
            BankPlacementError: a value fits nowhere, or a bank's alignment does not go with the plan's.
        """
        self._check_bank_alignments(alignment)
        _check_on_host(specs)
        extend_lifetimes(specs)
        own = owners(specs)
        arenas = {
            bank.mem_id: _Arena(bank.mem_id, bank.alignment or alignment, bank.size - extra_padding)
            for bank in self.target.banks
        }
        # Released planners leave the bytes that bodies of control flow take here, by memory id.
        for mem_id, size in enumerate(getattr(graph_module, "input_mem_buffer_sizes", None) or ()):
            if mem_id and size:  # Memory 0 is that of constants.
                arena = arenas.setdefault(mem_id, _Arena(mem_id, alignment, None))
                arena.reserved = -(-size // arena.alignment) * arena.alignment
        places: dict[TensorSpec, tuple[_Arena, SharedObject, int]] = {}
        # Among values of one size the last comes first, as in `greedy`.
        order = sorted(own, key=lambda spec: aligned_bytes(spec, alignment))[::-1]
        for spec in order:
            if spec.mem_id is None:
                continue
            arena = arenas.setdefault(spec.mem_id, _Arena(spec.mem_id, alignment, None))
            places[spec] = self._place(spec, [arena])
        for spec in (spec for spec in order if spec.mem_id is None):
            places[spec] = self._place(spec, [arenas[mem_id] for mem_id in self.target.mem_ids()])
        result = _laid_out(arenas, {spec: places[spec] for spec in own}, extra_padding)
        place_dependents(specs, result)
        return result

    def _place(self, spec: TensorSpec, choices: Sequence[_Arena]) -> tuple[_Arena, SharedObject, int]:
        for arena in choices:
            place = arena.place(spec, self.allow_overlapping_allocations)
            if place is not None:
                return arena, *place
        what = f"{aligned_bytes(spec, choices[0].alignment)}-byte buffer (shape {list(spec.shape)})"
        free = ", ".join(
            f"{self.target.bank(arena.mem_id).name} has {(arena.limit or 0) - arena.used} of {arena.limit} bytes left"
            for arena in choices
        )
        if spec.mem_id is not None:
            bank = self.target.bank(spec.mem_id)
            raise BankPlacementError(
                f"A {what} is pinned to bank {bank.name} (mem_id={bank.mem_id}), but {free}. A pinned buffer "
                "has no fallback bank. Way out: a larger bank, or no mem_id for values that may lie elsewhere."
            )
        raise BankPlacementError(
            f"No declared bank can hold a {what}: {free}. Way out: a larger bank, or one more; memories that are "
            f"not declared are not spilled into. Target memory map: {self.target.describe()}"
        )

    def _check_bank_alignments(self, alignment: int) -> None:
        for bank in self.target.banks:
            if bank.alignment is not None and bank.alignment % alignment:
                raise BankPlacementError(
                    f"Bank {bank.name} has alignment {bank.alignment}, which is not a multiple of the plan's "
                    f"{alignment}. Way out: a multiple, or None."
                )


def _check_on_host(specs: Iterable[TensorSpec]) -> None:
    """Banks are memories of the host: a value of a device has no place in them."""
    for spec in specs:
        if spec.device != DeviceType.CPU:
            raise BankPlacementError(
                f"{spec!r} lies in the memory of a device, and banks are the host's. Way out: a plain "
                "MemoryPlanningPass, or enable_non_cpu_memory_planning=False."
            )


def _laid_out(
    arenas: dict[int, _Arena],
    places: dict[TensorSpec, tuple[_Arena, SharedObject, int]],
    extra_padding: int,
) -> MemoryAlgoResult:
    """Puts the locations of each memory one after the other."""
    result = MemoryAlgoResult(bufsizes=[0] * (max([1, *arenas]) + 1))
    for mem_id, arena in arenas.items():
        end = arena.reserved
        for location in arena.objects:
            location.offset = end
            end += location.size
        result.bufsizes[mem_id] = end + extra_padding if end else 0
    for spec, (arena, location, offset) in places.items():
        result.spec_dict[spec] = SpecAllocResult(arena.mem_id, location.idx, location.offset + offset)
    return result


class BankedMemoryPlanningPass(MemoryPlanningPass):
    """`MemoryPlanningPass` into the banks of a target; logs how full they are.

    Args:
        target: the banks.
        alignment: of every offset, in bytes; banks may ask for a multiple.
        allow_overlapping_allocations: let a value lie beside a live one within a location.
        options: as for `MemoryPlanningPass`.

    Raises:
        ValueError: mutable buffers are to be shared; that fixes memory 2 for them.
    """

    def __init__(
        self,
        target: TargetMemoryMap,
        alignment: int = ALIGNMENT,
        allow_overlapping_allocations: bool = True,
        **options: Any,
    ) -> None:
        if options.get("share_mutable_buffers"):
            raise ValueError(
                "share_mutable_buffers puts shared buffers into memory 2 and everything else into memory 1, which "
                "banks do not keep. Way out: one of the two"
            )
        algorithm = BankedGreedy(target, allow_overlapping_allocations)
        suite = MemoryPlanningAlgorithmSuite([algorithm])
        super().__init__(memory_planning_algo=suite, alignment=alignment, **options)
        self.target = target

    def run(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature | None = None
    ) -> PassResult:
        result = super().run(graph_module, graph_signature)
        bufsizes = graph_module.meta[BUFFER_SIZES]
        for bank in self.target.banks:
            # Delegates may read behind their inputs, which lengthens a memory after the algorithm has run.
            if bank.mem_id < len(bufsizes) and bufsizes[bank.mem_id] > bank.size:
                raise BankPlacementError(
                    f"Bank {bank.name} (mem_id={bank.mem_id}) needs {bufsizes[bank.mem_id]} bytes, with what "
                    f"delegates may read behind their inputs, but is only {bank.size} bytes. Way out: a larger bank."
                )
        _LOG.info("%s", format_placement_report(self.target, bufsizes, planned_mem_ids(graph_module)))
        return result


def banked_memory_planning_pass(
    target: TargetMemoryMap,
    alignment: int = ALIGNMENT,
    allow_overlapping_allocations: bool = True,
    **kwargs: Any,
) -> MemoryPlanningPass:
    """A `BankedMemoryPlanningPass`, for `ExecutorchBackendConfig.memory_planning_pass`."""
    return BankedMemoryPlanningPass(target, alignment, allow_overlapping_allocations, **kwargs)


def planned_mem_ids(graph_module: GraphModule) -> list[int]:
    """The memory id of every planned value, control flow included; views count with what they are views of."""
    found: dict[TensorSpec, int] = {}
    for module in graph_module.modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            for spec in flatten_specs(node.meta.get(meta_keys.SPEC)):
                root = spec.root
                if root.mem_id is not None and root.mem_offset is not None:
                    found[root] = root.mem_id
    return list(found.values())


def format_placement_report(
    target: TargetMemoryMap, bufsizes: Sequence[int], mem_ids: Iterable[int] = ()
) -> str:
    """A table of the banks: bytes used, capacity, share in percent, number of values.

    Args:
        target: the banks.
        bufsizes: bytes of each memory, by id.
        mem_ids: the memory id of each value, of :func:`planned_mem_ids`.
    """
    ids = list(mem_ids)
    lines = [
        "Memory bank placement:",
        f"  {'bank':<12} {'mem_id':>6} {'used':>11} {'size':>11} {'util':>7}  buffers",
    ]
    total = 0
    for bank in target.banks:
        used = bufsizes[bank.mem_id] if bank.mem_id < len(bufsizes) else 0
        total += used
        share = f"{100 * used / bank.size:.1f}%"
        count = ids.count(bank.mem_id)
        lines.append(f"  {bank.name:<12} {bank.mem_id:>6} {used:>11} {bank.size:>11} {share:>7}  {count:>7}")
    lines.append(f"  total planned: {total} bytes over {len(target.banks)} banks")
    return "\n".join(lines)


__all__ = [
    "Bank",
    "BankPlacementError",
    "BankedGreedy",
    "BankedMemoryPlanningPass",
    "TargetMemoryMap",
    "banked_memory_planning_pass",
    "format_placement_report",
    "planned_mem_ids",
]
