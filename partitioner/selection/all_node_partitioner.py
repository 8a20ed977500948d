"""A partitioner that gives the whole graph to one backend."""

from __future__ import annotations

import torch
from torch.export import ExportedProgram

from executorch.dialects import meta_keys
from executorch.ir.signature import state_inputs
from executorch.partitioner.interface.compile_spec import CompileSpec
from executorch.partitioner.interface.delegation import DelegationSpec, Partitioner, PartitionResult


def is_non_tensor_placeholder(node: torch.fx.Node, ep: ExportedProgram) -> bool:
    """Whether ``node`` is an input of the graph and no parameter, buffer or lifted tensor constant."""
    return node.op == "placeholder" and node.name not in state_inputs(ep.graph_signature)


class AllNodePartitioner(Partitioner):
    """Every operator and every constant in one delegate, control flow included.

    Args:
        backend_id: the backend, whose name is the tag as well.
        compile_specs: its options.
    """

    def __init__(self, backend_id: str, compile_specs: list[CompileSpec]) -> None:
        super().__init__()
        self.delegation_spec = DelegationSpec(backend_id, compile_specs)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tag = self.delegation_spec.backend_id
        for node in exported_program.graph.nodes:
            if node.op != "output" and not is_non_tensor_placeholder(node, exported_program):
                node.meta[meta_keys.DELEGATION_TAG] = tag
        return PartitionResult(exported_program, {tag: self.delegation_spec})
