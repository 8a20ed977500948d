"""Slices, selections and concatenations that the plan of memory makes superfluous: the parts lie where they are read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import torch
from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule, Node

from executorch.backends.cadence.memory.constraints import ConstraintsGenPass, MemConstraints
from executorch.dialects import meta_keys
from executorch.dialects.execution import is_in_place
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.ir.mutations import changing_state
from executorch.passes.infrastructure.pass_base import PassBase, PassResult

_aten = torch.ops.aten
#: Bytes that the processors' kernels load at once: parts begin at multiples of it.
_LOAD: Final = 8


class _GeneratesConstraints(PassBase):
    """Adds constraints to those that it is made with.

    Args:
        constraint: to add to.
        graph_signature: of the program, which says what lasts from run to run; without it nothing does.
    """

    def __init__(
        self, constraint: MemConstraints, graph_signature: ExportGraphSignature | None = None
    ) -> None:
        self.constraint = constraint
        self._lasting = set() if graph_signature is None else changing_state(graph_signature)

    def _can_hold(self, node: Node, outputs: set[Node]) -> bool:
        """Whether the bytes of a node's value are the plan's, and only the node itself writes them."""
        spec = _plain_spec(node)
        if spec is None or spec.const or node.name in self._lasting or node.op == "get_attr":
            return False
        if node.op == "placeholder" and not self.constraint.alloc_graph_input:
            return False
        if node in outputs and not self.constraint.alloc_graph_output:
            return False
        return not any(is_in_place(user) and node in user.args[:1] for user in node.users)

    def _can_lie_inside(self, node: Node, outputs: set[Node]) -> bool:
        """Whether a node's value has no place yet, and may get one within another value."""
        spec = _plain_spec(node)
        if spec is None or not self._can_hold(node, outputs) or self.constraint.skipped_spec(spec):
            return False
        return self.constraint.get_absolute_placement_constraint(spec) is None


def _plain_spec(node: Any) -> TensorSpec | None:
    """The spec of a node with one contiguous result of known size that has bytes of its own; None for others."""
    spec = node.meta.get(meta_keys.SPEC) if isinstance(node, Node) else None
    if not isinstance(spec, TensorSpec) or spec.root is not spec or spec.storage_base is not None:
        return None
    if spec.shape_dynamism is not TensorShapeDynamism.STATIC:
        return None
    return spec if list(spec.dim_order) == list(range(len(spec.shape))) else None


def _outputs(graph_module: GraphModule) -> set[Node]:
    return set(graph_module.graph.output_node().all_input_nodes)


def _block(spec: TensorSpec, dim: int) -> int | None:
    """Bytes of one step along a dimension; None where that is not the outermost one, but for those of size 1."""
    if math.prod(spec.shape[:dim]) != 1:
        return None
    return math.prod(spec.shape[dim + 1 :]) * spec.dtype.itemsize


def get_relative_offsets_of_cat_tensors(cat_tensors: Sequence[Node]) -> list[int]:
    """Where each of tensors begins that lie one behind the other, in bytes."""
    offsets = [0]
    for node in cat_tensors:
        offsets.append(offsets[-1] + node.meta[meta_keys.SPEC].nbytes())
    return offsets[:-1]


class GenerateCatNopConstraints(_GeneratesConstraints):
    """What is concatenated along the first dimension is calculated where the result has it; ``_cat_nop`` is left."""

    def call(self, graph_module: GraphModule) -> PassResult:
        outputs = _outputs(graph_module)
        changed = False
        for node in graph_module.graph.find_nodes(op="call_function", target=_aten.cat.out):
            changed |= self._join(node, outputs)
        if changed:
            graph_module.recompile()
        return PassResult(graph_module, changed)

    def _join(self, cat: Node, outputs: set[Node]) -> bool:
        parts: list[Any] = list(cat.args[0])  # type: ignore[arg-type]
        dim: Any = cat.args[1] if len(cat.args) > 1 else cat.kwargs.get("dim", 0)
        spec = _plain_spec(cat)
        if spec is None or not self._can_hold(cat, outputs) or len(set(parts)) != len(parts):
            return False
        if _block(spec, dim % len(spec.shape)) is None:
            return False
        if not all(self._can_lie_inside(part, outputs) for part in parts):
            return False
        if any(part.meta[meta_keys.SPEC].dtype != spec.dtype for part in parts):
            return False
        offsets = get_relative_offsets_of_cat_tensors(parts)
        if any(offset % _LOAD for offset in offsets):
            return False
        for part, offset in zip(parts, offsets, strict=True):
            self.constraint.add_relative_placement_constraint(cat, part, offset)
        cat.target = _aten._cat_nop.out
        return True


class GenerateSliceAndSelectNopConstraints(_GeneratesConstraints):
    """A slice or selection along the first dimension is the part of memory that it names; ``_slice_copy_nop`` or
    ``_select_copy_nop`` is left."""

    def call(self, graph_module: GraphModule) -> PassResult:
        outputs = _outputs(graph_module)
        changed = False
        for node in graph_module.graph.nodes:
            if node.op != "call_function":
                continue
            if node.target is _aten.slice_copy.Tensor_out:
                changed |= self._take(node, outputs, _aten._slice_copy_nop.Tensor_out)
            elif node.target is _aten.select_copy.int_out:
                changed |= self._take(node, outputs, _aten._select_copy_nop.int_out)
        if changed:
            graph_module.recompile()
        return PassResult(graph_module, changed)

    def _take(self, node: Node, outputs: set[Node], without_copy: Any) -> bool:
        source: Any = node.args[0]
        base = _plain_spec(source)
        if base is None or not self._can_hold(source, outputs) or not self._can_lie_inside(node, outputs):
            return False
        offset = get_relative_offset_of_slice(node)
        if offset is None or offset % _LOAD or node.meta[meta_keys.SPEC].nbytes() == 0:
            return False
        self.constraint.add_relative_placement_constraint(source, node, offset)
        node.target = without_copy
        return True


def get_relative_offset_of_slice(slice_node: Node) -> int | None:
    """Where a slice or a selection begins within its source, in bytes; None where it is not one piece of it."""
    spec = slice_node.args[0].meta[meta_keys.SPEC]  # type: ignore[union-attr]
    _, dim, start, end, step = (*slice_node.args, *[None] * 5)[:5]
    dim = (dim or 0) % len(spec.shape)  # type: ignore[operator]
    size, block = spec.shape[dim], _block(spec, dim)
    if block is None or not all(one is None or isinstance(one, int) for one in (start, end, step)):
        return None
    if slice_node.target in (_aten.select_copy.int_out, _aten._select_copy_nop.int_out):
        return int(start) % size * block  # type: ignore[arg-type]
    first, last, stride = slice(start, end, step).indices(size)
    return first * block if stride == 1 or last - first <= 1 else None


class GenerateMemConstraints:
    """Runs the passes that add constraints, the caller's first.

    Args:
        mem_constraints: to add to.
        additional_constraint_gen_passes: each makes a pass of the constraints.
        graph_signature: of the program.
    """

    def __init__(
        self,
        mem_constraints: MemConstraints,
        additional_constraint_gen_passes: Sequence[ConstraintsGenPass] | None = None,
        graph_signature: ExportGraphSignature | None = None,
    ) -> None:
        self.mem_constraints = mem_constraints
        self._additional = list(additional_constraint_gen_passes or ())
        self._signature = graph_signature

    def __call__(self, graph_module: GraphModule) -> PassResult:
        # Slices first: what lies within a value stays there when that one is part of a larger one.
        own = (GenerateSliceAndSelectNopConstraints, GenerateCatNopConstraints)
        passes = [
            *(make(self.mem_constraints) for make in self._additional),
            *(make(self.mem_constraints, self._signature) for make in own),
        ]
        for one in passes:
            one(graph_module)
        return PassResult(graph_module, True)


__all__ = [
    "GenerateCatNopConstraints",
    "GenerateMemConstraints",
    "GenerateSliceAndSelectNopConstraints",
    "get_relative_offset_of_slice",
    "get_relative_offsets_of_cat_tensors",
]
