"""The partitioner of the example backend: one delegate for each pattern that has been quantized."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.example.example_backend import ExampleBackend
from executorch.backends.example.example_operators.matching import find_patterns
from executorch.backends.example.example_operators.ops import module_to_annotator
from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules
from executorch.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
    tag_constant_data,
)


class ExamplePartitioner(Partitioner):
    """Takes the quantized patterns of ``module_to_annotator`` with the quantization around them; neighbours go together."""

    def __init__(self) -> None:
        self.patterns = module_to_annotator.keys()
        self.delegation_spec = DelegationSpec(ExampleBackend.__name__, [])

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        tags = self._partition_graph_module(exported_program.graph_module)
        tag_constant_data(exported_program)
        return PartitionResult(exported_program, tags)

    def _partition_graph_module(self, edge_graph_module: GraphModule) -> dict[str, DelegationSpec]:
        tags: dict[str, DelegationSpec] = {}
        for number, module in enumerate(graph_modules(edge_graph_module)):
            taken = self._taken(module)
            for place, nodes in enumerate(group_nodes(module.graph, taken.__contains__).partitions):
                tag = f"example_{number}_{place}"
                tags[tag] = self.delegation_spec
                for node in nodes:
                    node.meta[meta_keys.DELEGATION_TAG] = tag
        return tags

    def _taken(self, module: GraphModule) -> set[Node]:
        """The nodes of quantized patterns, with the dequantization before and the quantization after each."""
        taken: set[Node] = set()
        for pattern in self.patterns:
            for parts in find_patterns(module.graph, pattern):
                nodes = {node for part in parts for node in part.nodes if node.op == "call_function"}
                before = {
                    source for node in nodes for source in node.all_input_nodes if _is(source, "dequantize")
                }
                if not before or not nodes:
                    continue
                after = {user for node in nodes for user in node.users if _is(user, "quantize")}
                around = {
                    source for node in before for source in node.all_input_nodes if _is(source, "quantize")
                }
                back = {user for node in after for user in node.users if _is(user, "dequantize")}
                taken |= nodes | before | after | around | back
        return taken


def _is(node: Node, name: str) -> bool:
    return node.op == "call_function" and f"quantized_decomposed.{name}_per" in str(node.target)


__all__ = ["ExamplePartitioner"]
