"""Constant propagation over one graph whose constants are attributes of its module.

:mod:`~executorch.passes.optimization.constant_prop_pass` is the one for whole programs, which know their parameters too.
"""

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.edge_ops import aten_op
from executorch.dialects.torch_types import FakeTensor
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import replace
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.optimization.constant_prop_pass import QUANTIZATION_OPS, evaluate, is_foldable


class ConstPropPass(GraphPass):
    """Evaluates operators whose tensors are all constants of the module, and keeps the results as constants (in place).

    Tensors that are made of numbers alone (``full``, ``arange``) are evaluated too.

    Args:
        propogate_quant: evaluate the operators of quantization too; backends look for them around constants.
    """

    describes_values = True

    def __init__(self, propogate_quant: bool = False) -> None:
        self.propogate_quant = propogate_quant

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        graph = graph_module.graph
        known: dict[Node, Any] = {}
        for node in graph.find_nodes(op="get_attr"):
            value = operator.attrgetter(str(node.target))(graph_module)
            if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor):
                known[node] = value
        folded: dict[Node, Any] = {}
        with torch.no_grad():
            for node in graph.nodes:
                if (is_foldable(node, known) or _is_filled(node)) and self._may(node.target):
                    known[node] = folded[node] = evaluate(node, known)
        for node, value in folded.items():
            if isinstance(value, torch.Tensor) and any(user not in folded for user in node.users):
                with graph.inserting_before(node):
                    constant = add_attribute(graph, value, "_tensor_constant")
                replace(node, constant)
        return bool(folded)

    def _may(self, target: Any) -> bool:
        op = aten_op(target)
        return self.propogate_quant or op is None or op.name() not in QUANTIZATION_OPS


def _is_filled(node: Node) -> bool:
    """Whether a node makes a tensor of numbers, the same each time."""
    op = aten_op(node.target) if node.op == "call_function" and not node.all_input_nodes else None
    if op is None or op._schema.is_mutable or torch.Tag.nondeterministic_seeded in op.tags:
        return False
    return "empty" not in op._schema.name and [str(result.type) for result in op._schema.returns] == [
        "Tensor"
    ]


__all__ = ["ConstPropPass"]
