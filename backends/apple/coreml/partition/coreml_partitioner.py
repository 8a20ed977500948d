"""Chooses what Core ML runs."""

from __future__ import annotations

import logging
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import final

import torch
from torch.export import ExportedProgram
from torch.fx import Node

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.operators import KEPT_WHOLE, MAX_RANK, MOVING
from executorch.backends.apple.coreml.compiler.ranks import detours
from executorch.backends.apple.coreml.compiler.targets import asked_for, least_target, system_name
from executorch.backends.apple.coreml.partition.state import take_state
from executorch.backends.apple.coreml.partition.support import SIZES, SKIPPED, needs_newer_system, refusal
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.errors import Problems, SpecViolationError
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_without_sizes_outside,
    note_reason,
    tag_constant_data,
    tag_groups,
)

_log = logging.getLogger(__name__)


class NotWholeError(SpecViolationError, NotImplementedError):
    """``lower_full_graph``, and an operator is left."""


class TargetTooOldError(SpecViolationError, ValueError):
    """A compressed weight needs a newer system than the program is for."""


@final
class CoreMLPartitioner(Partitioner):
    """Delegates as much of a program as Core ML can run.

    Args:
        skip_ops_for_coreml_delegation: operators to leave outside, as ``aten.add.Tensor`` or ``add``.
        compile_specs: those of :meth:`CoreMLBackend.generate_compile_specs`; its defaults where there are none.
        take_over_mutable_buffer: buffers that the program writes become Core ML's state (iOS 18, macOS 15), where one delegate
            has all that reads and writes them; else they stay arguments.
        lower_full_graph: it is an error where an operator is left.
        take_over_constant_data: weights move into the delegates; else they stay arguments.
    """

    def __init__(
        self,
        *,
        skip_ops_for_coreml_delegation: Sequence[str] | None = None,
        compile_specs: Sequence[CompileSpec] | None = None,
        take_over_mutable_buffer: bool | None = True,
        lower_full_graph: bool = False,
        take_over_constant_data: bool = True,
    ) -> None:
        self.skip_ops_for_coreml_delegation = list(skip_ops_for_coreml_delegation or ())
        self.delegation_spec = DelegationSpec(CoreMLBackend.__name__, list(compile_specs or ()))
        self.take_over_mutable_buffer = bool(take_over_mutable_buffer)
        self.lower_full_graph = lower_full_graph
        self.take_over_constant_data = take_over_constant_data
        self._was_asked = False

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """What Core ML has whole."""
        self._was_asked = True
        whole = list(KEPT_WHOLE)
        # torchao defines them when what makes such weights is imported.
        for library, name in (
            (torch.ops.quant, "dequantize_codebook"),
            (torch.ops.torchao, "dequantize_affine"),
        ):
            if (found := getattr(library, name, None)) is not None:
                whole.append(found.default)
        return whole, lambda node: self._refusal(node) is None or self._needs_newer_system(node)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken.

        Raises:
            NotWholeError: an operator is left although the whole graph was to be lowered.
            TargetTooOldError: ``minimum_deployment_target`` does not have the form of a compressed weight.
        """
        self._check_weights(exported_program)
        if not self._was_asked:
            _log.warning(
                "DEPRECATION WARNING: CoreMLPartitioner after to_edge() + to_backend() finds operators taken apart that "
                "Core ML has whole. Way out: to_edge_transform_and_lower()"
            )
        result = tag_groups(exported_program, "coreml_", self.delegation_spec, self._partitions)
        if self.take_over_constant_data:
            tag_constant_data(exported_program)
        if self.take_over_mutable_buffer:
            take_state(exported_program, self.delegation_spec.compile_specs)
        if self.lower_full_graph:
            self._insist(exported_program)
        return result

    def _refusal(self, node: Node, most_dimensions: int = MAX_RANK) -> str | None:
        target = asked_for(self.delegation_spec.compile_specs)
        return refusal(node, self.skip_ops_for_coreml_delegation, target, most_dimensions)

    def _needs_newer_system(self, node: Node) -> bool:
        target = asked_for(self.delegation_spec.compile_specs)
        return needs_newer_system(node, self.skip_ops_for_coreml_delegation, target)

    def _check_weights(self, program: ExportedProgram) -> None:
        problems = Problems("Compressed weights need a newer system than the program is for")
        for node in program.graph.nodes:
            if node.op == "call_function" and self._needs_newer_system(node):
                problems.add(node, f"is there from {system_name(least_target(node))} on")
        problems.raise_if_any(
            way_out="CoreMLPartitioner(compile_specs=CoreMLBackend.generate_compile_specs(minimum_deployment_target=...)) with that system, "
            "or other weights: eight bits by channels need iOS16",
            error=TargetTooOldError,
        )

    def _partitions(self, module: torch.fx.GraphModule) -> list[list[Node]]:
        """Large convex groups without those that only move; sizes that are read elsewhere stay outside."""
        taken = set()
        left: Counter[str] = Counter()
        # Their values have too many dimensions to cross a border.
        whole = [
            nodes
            for nodes in (found.nodes for found in detours(module.graph))
            if all(self._refusal(node, sys.maxsize) is None for node in nodes)
        ]
        together = {node for nodes in whole for node in nodes}
        for node in module.graph.nodes:
            if node.op != "call_function" or node in together:
                continue
            why = self._refusal(node)
            if why is None:
                taken.add(node)
            else:
                note_reason(node, type(self).__name__, why)
                if why != SKIPPED:
                    left[f"{aten_op(node.target) or node.target}: {why}"] += 1
        for text, count in left.items():
            _log.warning("Core ML leaves %d of %s", count, text)
        if len(taken | together) == sum(node.op == "call_function" for node in module.graph.nodes):
            # Nothing is left to stand between them: parts that have nothing to do with each other go together.
            every = [node for node in module.graph.nodes if node.op == "call_function"]
            return [every] if every else []
        found = group_without_sizes_outside(module.graph, taken, whole)
        return [nodes for nodes in found if self.lower_full_graph or any(map(_is_work, nodes))]

    def _insist(self, program: ExportedProgram) -> None:
        problems = Problems("The whole graph was to be lowered to Core ML, and these operators are left")
        for node in program.graph.nodes:
            if node.op == "call_function" and meta_keys.DELEGATION_TAG not in node.meta:
                problems.add(node, self._refusal(node) or "stands between operators that are left")
        problems.raise_if_any(
            way_out="CoreMLPartitioner(lower_full_graph=False) leaves them to other backends and kernels",
            error=NotWholeError,
        )


def _is_work(node: Node) -> bool:
    op = aten_op(node.target)
    return op is not None and node.target not in SIZES and str(op) not in MOVING
