"""The partitioner of the example backend: one delegate for each pattern that has been quantized."""

from __future__ import annotations

from torch.export import ExportedProgram
from torch.fx import GraphModule, Node

from executorch.backends.example.example_backend import ExampleBackend
from executorch.backends.example.example_operators.matching import find_patterns
from executorch.backends.example.example_operators.ops import module_to_annotator
from executorch.partitioner import (
    DelegationSpec,
    Partitioner,
    PartitionResult,
    group_nodes,
    tag_constant_data,
    tag_groups,
)


class ExamplePartitioner(Partitioner):
    """Takes the quantized patterns of ``module_to_annotator`` with the quantization around them; neighbours go together."""

    def __init__(self) -> None:
        self.patterns = module_to_annotator.keys()
        self.delegation_spec = DelegationSpec(ExampleBackend.__name__, [])

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        result = tag_groups(exported_program, "example_", self.delegation_spec, self._groups)
        tag_constant_data(exported_program)
        return result

    def _groups(self, module: GraphModule) -> list[list[Node]]:
        return group_nodes(module.graph, self._taken(module).__contains__).partitions

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
