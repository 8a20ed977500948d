"""Convolutions over one dimension as convolutions over two, for backends that have only these."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import GraphModule, Node
from torch.fx.node import Target

from executorch.backends.transforms.utils import get_param_tensor, is_param_node, set_param_tensor
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import call_like, is_call, refresh_values
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


class ConvertConv1dToConv2dPass(GraphPass):
    """``convolution`` of ``[N, C, L]`` becomes ``unsqueeze -> convolution of [N, C, 1, L] -> squeeze``.

    A constant weight is reshaped in the program, where nothing but such convolutions reads it. Bodies of control flow
    get their weights as inputs; there the weight is reshaped in the graph.

    Args:
        exported_program: whose graph the pass is called with.
        graph_local_weight_targets: operators whose result, as a weight, is reshaped in the graph too.
    """

    def __init__(
        self, exported_program: ExportedProgram, graph_local_weight_targets: Collection[Target] = ()
    ) -> None:
        super().__init__()
        self.exported_program = exported_program
        self.graph_local_weight_targets = frozenset(graph_local_weight_targets)
        self._top: GraphModule | None = None

    def call(self, graph_module: GraphModule) -> Any:
        self._top = graph_module
        return super().call(graph_module)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        found: dict[Node, list[Node]] = {}
        for node in graph_module.graph.nodes:
            if self._is_conv1d(node):
                found.setdefault(node.args[1], []).append(node)
        modified = False
        for weight, convolutions in found.items():
            in_graph = self._is_local(weight, graph_module)
            if not in_graph and not self._unsqueeze_weight(weight):
                continue
            for node in convolutions:
                _convert(node, in_graph)
            modified = True
        return modified

    @staticmethod
    def _is_conv1d(node: Node) -> bool:
        if not is_call(node, _aten.convolution.default) or not isinstance(node.args[1], Node):
            return False
        values = [tensor_of(arg) for arg in node.args[:2]]
        return all(value is not None and value.dim() == 3 for value in values)

    def _is_local(self, weight: Node, graph_module: GraphModule) -> bool:
        if graph_module is not self._top and weight.op == "placeholder":
            return True
        targets = self.graph_local_weight_targets
        return weight.op == "call_function" and bool({weight.target, aten_op(weight.target)} & targets)

    def _unsqueeze_weight(self, weight: Node) -> bool:
        """Reshapes a constant in the program, if only convolutions read it, as their weight."""
        if not is_param_node(self.exported_program, weight) and weight.op != "get_attr":
            return False
        for user in weight.users:
            if (
                not self._is_conv1d(user)
                or user.all_input_nodes.count(weight) != 1
                or user.args[1] is not weight
            ):
                return False
            if weight in (user.args[0], user.args[2]):
                return False
        tensor = get_param_tensor(self.exported_program, weight)
        assert tensor is not None
        set_param_tensor(self.exported_program, weight, tensor.detach().unsqueeze(2))
        refresh_values(weight.graph, ())
        return True


def _convert(node: Node, unsqueeze_weight: bool) -> None:
    operands: tuple[Any, ...] = node.args
    source, weight, bias, stride, padding, dilation, transposed, output_padding, groups = operands
    if unsqueeze_weight:
        weight = call_like(node, _aten.unsqueeze_copy.default, (weight, 2))
    result = call_like(node, _aten.squeeze_copy.dim, (node, 2))
    node.append(result)
    node.replace_all_uses_with(result, delete_user_cb=lambda user: user is not result, propagate_meta=False)
    # The node stays the convolution: whoever holds it, or knows it by name, finds it there still.
    node.args = (
        call_like(node, _aten.unsqueeze_copy.default, (source, 2)),
        weight,
        bias,
        [1, *stride],
        [0, *padding],
        [1, *dilation],
        transposed,
        [0, *output_padding],
        groups,
    )
    refresh_values(node.graph, (node,))


__all__ = ["ConvertConv1dToConv2dPass"]
