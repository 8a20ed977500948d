"""Channels-last data for the operators that the backend runs on them."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.dim_order import dim_order_of
from executorch.ir.rewriter import call_like, is_call
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_CONVOLUTION = torch.ops.aten.convolution.default
_COPY = torch.ops.dim_order_ops._to_dim_order_copy.default
_CHANNELS_LAST = [0, 2, 3, 1]


class PermuteMemoryFormatsPass(GraphPass):
    """Copies operands and result of each convolution over images: operands to channels-last, the result back.

    No value changes, and no size: only the order in memory. Between two convolutions that leaves a pair of copies,
    which ``MergeToDimPass`` takes away.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, _CONVOLUTION) and _order(node.args[0]) == [0, 1, 2, 3]:
                _surround(node)
                modified = True
        return modified


def _order(node: object) -> list[int] | None:
    value = tensor_of(node)
    return None if value is None else list(dim_order_of(value.shape, value.stride()))


def _surround(node: Node) -> None:
    for operand in node.all_input_nodes:
        value = tensor_of(operand)
        if value is not None and value.dim() == 4:
            copy = call_like(node, _COPY, (operand,), {"dtype": value.dtype, "dim_order": _CHANNELS_LAST})
            node.replace_input_with(operand, copy)
    users = list(node.users)
    result = tensor_of(node)
    assert result is not None, node
    back = call_like(node, _COPY, (node,), {"dtype": result.dtype, "dim_order": [0, 1, 2, 3]})
    node.append(back)
    for user in users:
        user.replace_input_with(node, back)


__all__ = ["PermuteMemoryFormatsPass"]
