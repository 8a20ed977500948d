"""The documented demonstration partitioner."""

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.exir.published.backend.test.backend_with_compiler_demo import (
    BackendWithCompilerDemo,
    is_supported,
)
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    generate_pattern_op_partitions,
)

_TAKEN = (torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor, torch.ops.aten.mm.default)


class AddMulSupport(OperatorSupportBase):
    """Sums and products of tensors of one shape, and products of matrices that no node taken made."""

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        if node.op != "call_function" or aten_op(node.target) not in _TAKEN or not is_supported(node):
            return False
        is_product = aten_op(node.target) is torch.ops.aten.mm.default
        return not (is_product and any(aten_op(arg.target) in _TAKEN for arg in node.all_input_nodes))


class AddMulPartitionerDemo(Partitioner):
    """Gives runs of sums and products to :class:`BackendWithCompilerDemo`, branches of control flow included."""

    def __init__(self) -> None:
        super().__init__()
        self.delegation_spec = DelegationSpec(
            BackendWithCompilerDemo.__name__, [CompileSpec("max_value", bytes([4]))]
        )

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags nodes; the program is not changed otherwise."""
        tags: dict[str, DelegationSpec] = {}
        for module in exported_program.graph_module.modules():
            if isinstance(module, GraphModule):
                for partition in generate_pattern_op_partitions(module, op_support=AddMulSupport()):
                    tag = f"tag{len(tags)}"
                    tags[tag] = self.delegation_spec
                    for node in partition.nodes:
                        node.meta[meta_keys.DELEGATION_TAG] = tag
        return PartitionResult(exported_program, tags)
