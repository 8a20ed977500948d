"""Places as functions of the sizes of a method's inputs.

A plan is made for the largest sizes. A runtime that is given no memory for it can take what the actual sizes need instead,
if it knows for every storage how many bytes it has and which others it must lie behind. Both follow from the plan: of two
storages that are live together, the one that lies higher in the plan begins where the other ends or later, so the offset of a
storage is the longest way up to it. That holds for all sizes, without a search, and is never more than what was planned.

State has its bytes at the front, so that it stays where it is when sizes change; what the caller passes in is copied before
all sizes are known and has memory of its own there.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export.graph_signature import ExportGraphSignature, InputKind
from torch.fx import GraphModule

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import DeviceType, TensorSpec, calculate_aligned_num_bytes
from executorch.memory_planning.algorithms import interval
from executorch.memory_planning.plan import DEFAULT_MEM_ID
from executorch.memory_planning.size_expressions import NoFunctionError, Step, bytes_of, evaluate
from executorch.memory_planning.timeline import Role, Storage

ARENA_FUNCTIONS = "arena_functions"
"""Key of `GraphModule.meta`: the `ArenaFunctions` of memory 1; absent where its size is always the same."""


@dataclass(frozen=True)
class InputSize:
    """A size that the caller chooses.

    Attributes:
        input: number of the input among the method's inputs.
        dim: dimension of it.
        bound: its largest value; None where nothing bounds it.
    """

    input: int
    dim: int
    bound: int | None


@dataclass(frozen=True)
class Block:
    """A place that moves with the sizes.

    Attributes:
        size: bytes as a function of the sizes of the inputs (`size_expressions`).
        below: numbers of the blocks that it lies behind; lower than its own. Those that they lie behind are left out.
        specs: what lies there.
    """

    size: tuple[Step, ...]
    below: tuple[int, ...]
    specs: tuple[TensorSpec, ...]


@dataclass
class ArenaFunctions:
    """How memory 1 is laid out for any sizes.

    Attributes:
        alignment: of every block, in bytes.
        fixed: bytes at the front that never move.
        slack: bytes behind everything else that a delegate may read.
        sizes: what the functions depend on.
        blocks: in an order in which each comes after those that it lies behind.
    """

    alignment: int
    fixed: int = 0
    slack: int = 0
    sizes: list[InputSize] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def offsets(self, sizes: Sequence[int]) -> tuple[list[int], int]:
        """The place of each block behind the fixed bytes, and the bytes of all together, for sizes of the inputs."""
        ends: list[int] = []
        offsets = []
        for block in self.blocks:
            offsets.append(max((ends[other] for other in block.below), default=0))
            ends.append(
                offsets[-1] + calculate_aligned_num_bytes(evaluate(block.size, sizes), self.alignment)
            )
        return offsets, max(ends, default=0)


def lay_out(
    storages: Iterable[Storage],
    graph_module: GraphModule,
    graph_signature: ExportGraphSignature | None,
    alignment: int,
) -> tuple[ArenaFunctions, int] | None:
    """Derives the functions from a plan, and moves the plan to what they give for the largest sizes.

    Args:
        storages: with their places.
        graph_signature: tells which input is which.
        alignment: of every offset, in bytes.

    Returns:
        The functions and the bytes of memory 1, or None if no size of an input matters to it: then nothing has moved.
    """
    arena = [storage for storage in storages if _is_in_arena(storage.leader)]
    sizes, symbols = _input_sizes(graph_module, graph_signature)
    values = _values(graph_module)
    steps = {storage: _bytes(storage, values, symbols) for storage in arena}
    moving = [storage for storage in arena if not _is_fixed(storage)]
    if not any(isinstance(step, str) and step.startswith("$") for one in moving for step in steps[one]):
        return None
    functions = ArenaFunctions(alignment, sizes=sizes)
    for storage in arena:
        if _is_fixed(storage):
            _move(storage, functions.fixed)
            functions.fixed += calculate_aligned_num_bytes(storage.leader.nbytes(), alignment)
    moving.sort(key=lambda storage: (storage.leader.mem_offset, *interval(storage.leader)))
    end = functions.fixed
    ends: list[int] = []
    for storage, below in zip(moving, _below(moving), strict=True):
        offset = max((ends[other] for other in below), default=functions.fixed)
        _move(storage, offset)
        ends.append(offset + calculate_aligned_num_bytes(storage.leader.nbytes(), alignment))
        end = max(end, ends[-1])
        # What the caller passes in takes no part in what moves; it keeps its place where the whole arena is given.
        is_passed_in = storage.role is Role.INPUT
        functions.blocks.append(
            Block((0,), below, ())
            if is_passed_in
            else Block(tuple(steps[storage]), below, tuple(storage.specs))
        )
    return functions, end


def _is_in_arena(spec: TensorSpec) -> bool:
    return spec.mem_id == DEFAULT_MEM_ID and spec.mem_offset is not None and spec.device == DeviceType.CPU


def _is_fixed(storage: Storage) -> bool:
    """State; and what has parts that begin elsewhere than it does, whose places would be functions of their own."""
    is_one_place = all(spec.mem_offset == storage.leader.mem_offset for spec in storage.specs)
    return storage.role is Role.MUTABLE_BUFFER or not is_one_place


def _move(storage: Storage, offset: int) -> None:
    assert storage.leader.mem_offset is not None
    by = offset - storage.leader.mem_offset
    for spec in storage.specs:
        assert spec.mem_offset is not None
        spec.mem_offset += by


def _input_sizes(
    graph_module: GraphModule, signature: ExportGraphSignature | None
) -> tuple[list[InputSize], dict[Any, int]]:
    """The sizes of inputs that are symbols, each once, and the number of each symbol."""
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    kinds = (
        [spec.kind for spec in signature.input_specs]
        if signature
        else [InputKind.USER_INPUT] * len(placeholders)
    )
    passed_in = [node for node, kind in zip(placeholders, kinds, strict=True) if kind is InputKind.USER_INPUT]
    sizes: list[InputSize] = []
    symbols: dict[Any, int] = {}
    for number, node in enumerate(passed_in):
        value, spec = node.meta.get(meta_keys.VAL), node.meta.get(meta_keys.SPEC)
        if not isinstance(value, torch.Tensor) or not isinstance(spec, TensorSpec):
            continue
        for dim, size in enumerate(value.shape):
            if isinstance(size, int) or not size.node.expr.is_Symbol or size.node.expr in symbols:
                continue
            symbols[size.node.expr] = len(sizes)
            sizes.append(InputSize(number, dim, None if dim in spec.unbounded_dims else spec.shape[dim]))
    return sizes, symbols


def _values(graph_module: GraphModule) -> dict[TensorSpec, torch.Tensor]:
    """The example value behind each spec, with symbolic sizes."""
    found: dict[TensorSpec, torch.Tensor] = {}
    for module in graph_module.modules():
        for node in module.graph.nodes if isinstance(module, GraphModule) else ():
            values = node.meta.get(meta_keys.VAL)
            specs = node.meta.get(meta_keys.SPEC)
            pairs = zip(specs, values, strict=False) if _are_lists(specs, values) else [(specs, values)]
            for spec, value in pairs:
                if isinstance(spec, TensorSpec) and isinstance(value, torch.Tensor):
                    found.setdefault(spec, value)
    return found


def _are_lists(*values: Any) -> bool:
    return all(isinstance(value, (tuple, list)) for value in values)


def _bytes(
    storage: Storage, values: Mapping[TensorSpec, torch.Tensor], symbols: Mapping[Any, int]
) -> list[Step]:
    """The bytes of the largest spec of a storage; those that were planned where they have no function."""
    steps: list[Step] = []
    for spec in storage.specs:
        if spec.is_static_shape_tensor or spec not in values:
            own: list[Step] = [spec.nbytes()]
        else:
            try:
                own = bytes_of(values[spec], symbols)
            except NoFunctionError:
                own = [spec.nbytes()]
        if own != steps:
            steps = [*steps, *own, ">"] if steps else own
    return steps


def _below(storages: Sequence[Storage]) -> list[tuple[int, ...]]:
    """For each storage the nearest ones below it among those that are live together with it; storages by rising place.

    Sets of storages are the bits of a number, so that thousands of them take no time.
    """
    intervals = [interval(storage.leader) for storage in storages]
    by_first = sorted(range(len(storages)), key=lambda index: intervals[index][0])
    by_last = sorted(range(len(storages)), key=lambda index: intervals[index][1])
    firsts = [intervals[index][0] for index in by_first]
    lasts = [intervals[index][1] for index in by_last]
    begun, ended = _prefixes(by_first), _prefixes(by_last)
    under: list[int] = []
    found = []
    for index, (first, last) in enumerate(intervals):
        live = begun[bisect.bisect_right(firsts, last)] & ~ended[bisect.bisect_left(lasts, first)]
        candidates = live & ((1 << index) - 1)
        nearest, reached = [], 0
        while candidates:
            other = candidates.bit_length() - 1
            nearest.append(other)
            reached |= under[other] | 1 << other
            candidates &= ~reached
        found.append(tuple(reversed(nearest)))
        under.append(reached)
    return found


def _prefixes(order: Sequence[int]) -> list[int]:
    """The sets of the first 0, 1, 2, ... of the indices."""
    sets = [0]
    for index in order:
        sets.append(sets[-1] | 1 << index)
    return sets


__all__ = ["ARENA_FUNCTIONS", "ArenaFunctions", "Block", "InputSize", "lay_out"]
