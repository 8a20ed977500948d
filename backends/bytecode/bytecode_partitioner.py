"""Chooses what the bytecode backend takes, and says why it leaves the rest."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram

from executorch.backends.bytecode.bytecode_preprocess import BytecodeBackend
from executorch.backends.bytecode.operators import Checks
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
    note_reason,
    tag_constant_data,
    tag_groups,
)


class BytecodePartitioner(Partitioner):
    """Takes connected runs of element-wise float32 operators on tensors of one shape.

    Args:
        min_nodes: smallest run that is worth a delegate call.
        compile_specs: options for the runtime.
    """

    def __init__(self, min_nodes: int = 1, compile_specs: list[CompileSpec] | None = None) -> None:
        super().__init__()
        self._min_nodes = min_nodes
        self._delegation = DelegationSpec(BytecodeBackend.__name__, compile_specs or [])

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        checks = Checks(exported_program)
        result = tag_groups(
            exported_program, "bytecode_", self._delegation, lambda module: self._runs(module.graph, checks)
        )
        tag_constant_data(exported_program)
        return result

    def _runs(self, graph: torch.fx.Graph, checks: Checks) -> list[list[torch.fx.Node]]:
        who = type(self).__name__

        def takes(node: torch.fx.Node) -> bool:
            if node.op != "call_function":
                return False
            refusal = checks.refusal(node)
            if refusal is not None:
                note_reason(node, who, refusal)
            return refusal is None

        runs = []
        # Operands have the shape of the result, so nodes that hang together by edges have one shape.
        for nodes in group_nodes(graph, takes).partitions:
            if len(nodes) >= self._min_nodes:
                runs.append(nodes)
                continue
            for node in nodes:
                note_reason(node, who, f"a run of {len(nodes)}, and min_nodes is {self._min_nodes}")
        return runs
