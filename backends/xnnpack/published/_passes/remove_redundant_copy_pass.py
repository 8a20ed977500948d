"""Copies into another order and back."""

from __future__ import annotations

from typing import Any

from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.published._passes.channels_last_tagged_reshape_pass import (
    ChannelsLastTaggedReshapePass,
)
from executorch.backends.xnnpack.published._passes.edits import edited
from executorch.backends.xnnpack.published._passes.quantized_copies import is_dequantized, is_quantization
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.passes.infrastructure.pass_base import PassResult

_COPIES = {
    "aten::_to_copy",
    "aten::clone",
    "dim_order_ops::_to_dim_order_copy",
    "dim_order_ops::_clone_dim_order",
}
_is_nhwc = ChannelsLastTaggedReshapePass.is_nhwc_node


class RemoveRedundantCopyPass(XNNPACKPass):
    """Takes out copies into another order and back, quantized or not.

    ``ChannelsLastTaggedReshapePass`` runs before: its tags say how values lie.
    """

    def _safe_remove_node(self, node: Node, graph: Graph) -> None:
        """Takes a node out if nothing reads it."""
        if not node.users:
            graph.erase_node(node)

    def _try_remove_regular_redundant_to_copy(self, node: Node, graph: Graph) -> bool:
        """Copy of a value that lies as the copy does, or of a copy of such a value."""
        if not _is_reordering(node):
            return False
        first: Any = node.args[0]
        joins = first.op == "placeholder" and any(user.op == "output" for user in node.users)
        if not joins and self._replace(node, first, graph, []):
            return True
        return _is_reordering(first) and self._replace(node, first.args[0], graph, [first])

    def _try_remove_quantized_redundant_to_copy(self, node: Node, graph: Graph) -> bool:
        """The same with a quantization and a dequantization behind each copy."""
        last = _pair_behind(node)
        second: Any = node.args[0]
        if not _is_reordering(node) or last is None or not is_dequantized(second):
            return False
        integers: Any = second.args[0]
        if not is_quantization(integers) or not _is_reordering(integers.args[0]):
            return False
        first: Any = integers.args[0]
        origin: Any = first.args[0]
        if not is_dequantized(origin) or not (last.args[1:] == second.args[1:] == origin.args[1:]):
            return False
        return self._replace(last, origin, graph, [last.args[0], node, second, integers, first])

    def _replace(self, node: Node, origin: Node, graph: Graph, rest: list[Any]) -> bool:
        if _is_nhwc(node) != _is_nhwc(origin) or _dtype(node) != _dtype(origin):
            return False
        node.replace_all_uses_with(origin, propagate_meta=False)
        for one in (node, *rest):
            self._safe_remove_node(one, graph)
        return True

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._remove)

    def _remove(self, graph: Graph) -> bool:
        modified = False
        for node in list(graph.nodes):
            # What an earlier round took out has no users, and is no longer a part of the graph.
            if node.op == "call_function" and node.users:
                modified |= self._try_remove_regular_redundant_to_copy(node, graph)
                if node.users:
                    modified |= self._try_remove_quantized_redundant_to_copy(node, graph)
        return modified


def _is_reordering(node: Any) -> bool:
    """Whether a copy has the elements of what it copies, in whatever order."""
    if not isinstance(node, Node) or node.op != "call_function" or not node.all_input_nodes:
        return False
    op = aten_op(node.target)
    return op is not None and op._schema.name in _COPIES and _dtype(node) == _dtype(node.all_input_nodes[0])


def _pair_behind(node: Node) -> Node | None:
    """The dequantization behind the quantization that is all that reads ``node``."""
    if len(node.users) != 1:
        return None
    integers = next(iter(node.users))
    if not is_quantization(integers) or len(integers.users) != 1:
        return None
    numbers = next(iter(integers.users))
    return numbers if is_dequantized(numbers) else None


def _dtype(node: Node) -> Any:
    return node.meta[meta_keys.VAL].dtype
