"""Chooses what the MPS delegate runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.apple.mps.graph.support import refusal
from executorch.backends.apple.mps.mps_preprocess import MPSBackend, calculates_in_half
from executorch.backends.apple.mps.operators import OPERATORS
from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.partitions import is_taken, tag_partitions, worth_a_call
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
)


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
        return tag_partitions(exported_program, "mps", self.delegation_spec, self._partitions)

    def _partitions(self, module: GraphModule, constants: Constants) -> list[list[Node]]:
        """Large convex groups without those that only move."""

        def why_not(node: Node) -> str | None:
            return refusal(node, constants)

        taken = {node for node in module.graph.nodes if is_taken(node, constants, self, why_not)}
        found = group_nodes(module.graph, taken.__contains__, join_unrelated=True).partitions
        return worth_a_call(found, self, _is_work)


def _is_work(node: Node) -> bool:
    row = OPERATORS.get(name_of(node))
    return row is not None and not row.moves
