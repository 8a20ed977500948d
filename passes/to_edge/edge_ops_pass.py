"""Brings a graph into the edge dialect: edge operators as call targets, edge names on the nodes."""

import operator
from collections.abc import Callable
from typing import Any, Final

from torch.fx import GraphModule, Node, symbolic_trace

from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import returns_tensor
from executorch.ir.torch_internals import number_anew, rename_after
from executorch.passes.infrastructure.pass_base import GraphPass

_SELECTION: Final = "getitem"


class EdgeOpsPass(GraphPass):
    """Replaces every operator that returns tensors by its edge operator; the node is named after it.

    ``add_3`` of ``aten.add.Tensor`` becomes ``aten_add_tensor`` (with a number when the name is taken). Operators that
    return numbers (``sym_size``) stay torch operators. The selections of one of several results are numbered in their
    order, without gaps, so that passes which build the graph anew give them the same names. Names of outputs change:
    sync the signature afterwards.
    """

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        target = node.target
        if node.op != "call_function" or not isinstance(target, OpOverload) or not returns_tensor(target):
            return False
        replacement = edge_op(target)
        node.target = replacement
        rename_after(node, replacement)
        return True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = super().rewrite_graph(graph_module)
        graph = graph_module.graph
        selections = [node for node in graph.find_nodes(op="call_function", target=operator.getitem)]
        if [node.name for node in selections] == [_numbered(index) for index in range(len(selections))]:
            return changed
        return number_anew(graph, selections, _SELECTION) or changed


class EdgeToAtenPass(GraphPass):
    """The inverse for targets; names stay."""

    describes_values = True
    removes_dead_code = False

    def rewrite_node(self, node: Node) -> bool:
        if node.op != "call_function" or not isinstance(node.target, EdgeOpOverload):
            return False
        node.target = node.target._op
        return True


def trace_edge_graph(function: Callable[..., Any]) -> GraphModule:
    """The graph of a function in edge operators, as a pattern or a replacement for ``torch.fx.subgraph_rewriter``.

    Args:
        function: of tensors; may call ATen operators and edge operators (``torch.ops.aten.add.Tensor(x, y)``).
    """
    traced = symbolic_trace(function)
    EdgeOpsPass()(traced)
    return traced


def _numbered(index: int) -> str:
    return f"{_SELECTION}_{index}" if index else _SELECTION


#: The name under which published code knows this pass.
OpReplacePass = EdgeOpsPass
