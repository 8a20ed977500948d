"""Numbers the operators of a method, so that events of a run can be traced back to the model."""

from collections.abc import Iterator

from torch.fx import GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules
from executorch.passes.pass_base import PassBase, PassResult


def _operator_nodes(graph_module: GraphModule) -> Iterator[Node]:
    for module in graph_modules(graph_module):
        for node in module.graph.nodes:
            if node.op == "call_function":
                yield node


class DebugHandleGeneratorPass(PassBase):
    """Gives every operator (also inside control flow) a handle above 0 that no other node of the graph has.

    Handles that are there already stay, so that numbers survive later passes; nodes that two passes copied from
    one keep its handle in common.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        nodes = list(_operator_nodes(graph_module))
        highest = max((node.meta.get(meta_keys.DEBUG_HANDLE) or 0 for node in nodes), default=0)
        modified = False
        for node in nodes:
            if not node.meta.get(meta_keys.DEBUG_HANDLE):
                highest += 1
                node.meta[meta_keys.DEBUG_HANDLE] = highest
                modified = True
        return PassResult(graph_module, modified)

    def ensures(self, graph_module: GraphModule) -> None:
        missing = [
            node.name for node in _operator_nodes(graph_module) if not node.meta.get(meta_keys.DEBUG_HANDLE)
        ]
        if missing:
            raise AssertionError(f"nodes without a debug handle: {', '.join(missing)}")


def generate_missing_debug_handles(exported_program: "object") -> None:
    """Numbers the operators that earlier passes added to a program without numbering them (in place)."""
    DebugHandleGeneratorPass()(exported_program.graph_module)  # type: ignore[attr-defined]
