"""Chooses what the MPS delegate runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import final

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.apple.mps.graph.support import refusal
from executorch.backends.apple.mps.mps_preprocess import MPSBackend, calculates_in_half
from executorch.backends.apple.mps.operators import OPERATORS
from executorch.backends.transforms.constants import Constants, name_of, take_constants
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
    note_reason,
)

_IDLE = "nothing is calculated where it stands; not worth a call"


@final
class MPSPartitioner(Partitioner):
    """Delegates as much of a program as MPSGraph can run.

    What is left has a reason: ``executorch.exir.backend.utils.print_reasons`` prints them.

    Args:
        compile_specs: ``CompileSpec("use_fp16", bytes([True]))`` or ``False``; half precision where there is none.

    Raises:
        ExportError: no such compile spec.
    """

    def __init__(self, compile_specs: Sequence[CompileSpec] | None = None) -> None:
        super().__init__()
        specs = list(compile_specs or ())
        calculates_in_half(specs)
        self.delegation_spec = DelegationSpec(MPSBackend.__name__, specs)

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """What the delegate has whole."""
        whole = (name.split(".") for name, row in OPERATORS.items() if row.whole)
        return [getattr(getattr(torch.ops.aten, packet), form) for _, packet, form in whole], None

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken."""
        constants = Constants(exported_program)
        tags: dict[str, DelegationSpec] = {}
        for module in exported_program.graph_module.modules():
            for nodes in self._partitions(module, constants) if isinstance(module, GraphModule) else ():
                tag = f"mps_{len(tags)}"
                tags[tag] = self.delegation_spec
                for node in nodes:
                    node.meta[meta_keys.DELEGATION_TAG] = tag
        take_constants(exported_program, constants)
        return PartitionResult(exported_program, tags)

    def _partitions(self, module: GraphModule, constants: Constants) -> list[list[Node]]:
        """Large convex groups without those that only move."""
        taken = {node for node in module.graph.nodes if self._is_taken(node, constants)}
        found = group_nodes(module.graph, taken.__contains__, join_unrelated=True).partitions
        worth = []
        for nodes in found:
            if any(map(_is_work, nodes)):
                worth.append(nodes)
                continue
            for node in nodes:
                note_reason(node, type(self).__name__, _IDLE)
        return worth

    def _is_taken(self, node: Node, constants: Constants) -> bool:
        if node.op != "call_function" or node in constants or node.target is operator.getitem:
            return False
        why = refusal(node, constants)
        if why is not None:
            note_reason(node, type(self).__name__, why)
        return why is None


def _is_work(node: Node) -> bool:
    row = OPERATORS.get(name_of(node))
    return row is not None and not row.moves
