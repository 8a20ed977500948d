"""The documented demonstration partitioner, and those that published tests look at graphs with."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.dialects.torch_types import OpOverload
from executorch.exir.published.backend.test.backend_with_compiler_demo import (
    BackendWithCompilerDemo,
    is_supported,
)
from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    generate_pattern_op_partitions,
    tag_constant_data,
    tag_groups,
    tag_mutated_buffer,
)

_TAKEN = (torch.ops.aten.add.Tensor, torch.ops.aten.mul.Tensor, torch.ops.aten.mm.default)


class AddMulSupport(OperatorSupportBase):
    """Sums and products of tensors of one shape, and products of matrices."""

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        return node.op == "call_function" and aten_op(node.target) in _TAKEN and is_supported(node)


class AddMulPartitionerDemo(Partitioner):
    """Gives runs of sums and products to :class:`BackendWithCompilerDemo`, branches of control flow included."""

    def __init__(self) -> None:
        super().__init__()
        self.delegation_spec = DelegationSpec(
            BackendWithCompilerDemo.__name__, [CompileSpec("max_value", bytes([4]))]
        )

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags nodes; the program is not changed otherwise."""

        def groups(module: GraphModule) -> list[list[Node]]:
            found = generate_pattern_op_partitions(module, op_support=AddMulSupport())
            return [list(partition.nodes) for partition in found]

        return tag_groups(exported_program, "tag", self.delegation_spec, groups)


class OperatorNamesDemo(BackendDetails):
    """Takes everything and writes down the names of the operators. It has no half at run time: one looks at the graphs."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, compile_specs: list[CompileSpec]) -> PreprocessResult:
        """See the class."""
        del compile_specs
        calls = [node for node in edge_program.graph.nodes if node.op == "call_function"]
        return PreprocessResult("".join(f"{aten_op(node.target) or node.target};" for node in calls).encode())


class _OperatorSupport(OperatorSupportBase):
    taken: ClassVar[tuple[Any, ...]] = ()

    def is_node_supported(self, submodules: Any, node: Node) -> bool:
        return node.op == "call_function" and aten_op(node.target) in self.taken


class AddOperatorSupport(_OperatorSupport):
    """Sums of tensors."""

    taken = (torch.ops.aten.add.Tensor,)


class MatmulOperatorSupport(_OperatorSupport):
    """Products of matrices."""

    taken = (torch.ops.aten.mm.default,)


class _NamesPartitioner(Partitioner):
    """Hands groups of nodes, with the constants and buffers that only they use, to :class:`OperatorNamesDemo`."""

    def __init__(self) -> None:
        super().__init__()
        self.delegation_spec = DelegationSpec(OperatorNamesDemo.__name__, [])

    def groups(self, graph_module: GraphModule) -> Iterable[list[Node]]:
        """The nodes of each delegate."""
        raise NotImplementedError

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags nodes; the program is not changed otherwise."""
        tags: dict[str, DelegationSpec] = {}
        for group in self.groups(exported_program.graph_module):
            tag = f"tag{len(tags)}"
            tags[tag] = self.delegation_spec
            for node in group:
                node.meta[meta_keys.DELEGATION_TAG] = tag
        tag_constant_data(exported_program)
        tag_mutated_buffer(exported_program)
        return PartitionResult(exported_program, tags)


class AddAttributePartitionerDemo(_NamesPartitioner):
    """Sums, with the constants that they add."""

    def groups(self, graph_module: GraphModule) -> Iterable[list[Node]]:
        partitions = generate_pattern_op_partitions(graph_module, op_support=AddOperatorSupport())
        return [list(partition.nodes) for partition in partitions]


class AllNodesPartitionerDemo(_NamesPartitioner):
    """The whole graph."""

    def groups(self, graph_module: GraphModule) -> Iterable[list[Node]]:
        return [[node for node in graph_module.graph.nodes if node.op in ("call_function", "get_attr")]]


class NonDecompTestPartitioner(_NamesPartitioner):
    """Operators that decompose unless a partitioner keeps them, each in a delegate of its own; linear layers with a bias only."""

    supported_non_decomposed_edge_ops = (
        ops.edge.aten.linear.default,
        ops.edge.aten.scaled_dot_product_attention.default,
        ops.edge.aten.upsample_nearest2d.vec,
        ops.edge.aten.lstm.input,
    )

    def groups(self, graph_module: GraphModule) -> Iterable[list[Node]]:
        kept = [node for node in graph_module.graph.nodes if self._takes(node)]
        # The results of a call that has several are no operators.
        return [
            [
                node,
                *(user for user in node.users if user.op == "call_function" and aten_op(user.target) is None),
            ]
            for node in kept
        ]

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """The operators, and which calls of them."""
        return [aten_op(op) for op in self.supported_non_decomposed_edge_ops], self._takes  # type: ignore[misc]

    def _takes(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if op not in [aten_op(kept) for kept in self.supported_non_decomposed_edge_ops]:
            return False
        return op is not torch.ops.aten.linear.default or len(node.args) > 2
