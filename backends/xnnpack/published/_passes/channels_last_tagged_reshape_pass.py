"""Which values of a graph lie with their channels last, and copies where that changes."""

from __future__ import annotations

import enum
import operator
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.conversions import tag_as_implicit_q_dq
from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.backends.xnnpack.published._passes.quantized_copies import is_dequantized, requantized
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.ir.values import compute_value
from executorch.passes.infrastructure.pass_base import PassResult

_aten = torch.ops.aten
_COPIES = {
    "aten::_to_copy",
    "aten::clone",
    "dim_order_ops::_to_dim_order_copy",
    "dim_order_ops::_clone_dim_order",
}
#: Their results are other dimensions than those that they read.
_MOVING = {"aten::expand_copy", "aten::permute_copy", "aten::transpose_copy", "aten::view_copy"}


class InputDimOrder(enum.Enum):
    """How the elements of an image tensor lie."""

    NCHW = 1
    NHWC = 2


class ChannelsLastTaggedReshapePass(XNNPACKPass):
    """Tags four-dimensional values whose channels come last, and inserts the copies that make them so.

    Spatial operators read and write channels last. What follows keeps that order if it can, so that chains of such
    operators have a copy where they begin and one where they end. Results of the graph lie as they did before.

    The backend itself does not need this: its lowering chooses the order of all values at once (``graph/islands.py``).
    """

    memory_sensitive_ops_nhwc = {
        ops.edge.aten.amax.default,
        ops.edge.aten.avg_pool2d.default,
        ops.edge.aten.convolution.default,
        ops.edge.aten.max.dim,
        ops.edge.aten.max_pool2d.default,
        ops.edge.aten.mean.dim,
        ops.edge.aten.prelu.default,
        ops.edge.aten.upsample_bilinear2d.vec,
    }
    memory_sensitive_ops_nchw = {
        ops.edge.aten.linear.default,
        ops.edge.aten.squeeze_copy.dim,
        ops.edge.aten.unsqueeze_copy.default,
    }
    broadcast_binary_ops = {
        ops.edge.aten.add.Tensor,
        ops.edge.aten.div.Tensor,
        ops.edge.aten.mul.Tensor,
        ops.edge.aten.sub.Tensor,
    }
    #: Set in a node's meta: whether its channels come last.
    XNN_NHWC_NODE = "XNN_NHWC_NODE"
    #: Set in a node's meta: the same value in the other order.
    PARTNER_NODE = "XNN_CHANNELS_LAST_TAGGED_RESHAPE_PARTNER_NODE"

    @staticmethod
    def mark_as_nhwc_node(node: Node) -> None:
        """Says that the channels of ``node`` come last."""
        node.meta[ChannelsLastTaggedReshapePass.XNN_NHWC_NODE] = True

    @staticmethod
    def mark_as_nchw_node(node: Node) -> None:
        """Says that ``node`` lies in the order of its dimensions."""
        node.meta[ChannelsLastTaggedReshapePass.XNN_NHWC_NODE] = False

    @staticmethod
    def is_nhwc_node(node: Node) -> bool:
        """Whether the channels of ``node`` come last."""
        return bool(node.meta.get(ChannelsLastTaggedReshapePass.XNN_NHWC_NODE, False))

    @staticmethod
    def is_nchw_node(node: Node) -> bool:
        """Whether ``node`` lies in the order of its dimensions."""
        return not ChannelsLastTaggedReshapePass.is_nhwc_node(node)

    def tag_node(self, node: Node) -> None:
        """Tags a node with the order in which its example value lies."""
        value = node.meta.get(meta_keys.VAL)
        if isinstance(value, torch.Tensor) and self._is_nhwc(value):
            self.mark_as_nhwc_node(node)
        else:
            self.mark_as_nchw_node(node)

    @staticmethod
    def _is_nhwc_tensor(tensor: torch.Tensor) -> bool:
        return (
            tensor.dim() == 4
            and tensor.is_contiguous(memory_format=torch.channels_last)
            and not tensor.is_contiguous()
        )

    def _is_nhwc(self, tensor: torch.Tensor) -> bool:
        return self._is_nhwc_tensor(tensor)

    def requires_nhwc_input(self, node: Node) -> bool:
        """Whether XNNPACK has this operator for images with channels last only."""
        return node.target in self.memory_sensitive_ops_nhwc and _is_image(node.args[0])

    def requires_nchw_inputs(self, node: Node) -> bool:
        """Whether the operator counts dimensions as the model does."""
        return node.target in self.memory_sensitive_ops_nchw

    def can_be_converted_to_nhwc(self, node: Node) -> bool:
        """Whether the operator reads and makes images alone, and leaves their dimensions where they are."""
        op = aten_op(node.target)
        moves = op is None or op._schema.name in _MOVING
        return not moves and _is_image(node) and all(map(_is_image, node.all_input_nodes))

    def make_partners(self, node_a: Node, node_b: Node) -> None:
        """Says that two nodes are one value in both orders."""
        node_a.meta[self.PARTNER_NODE] = node_b
        node_b.meta[self.PARTNER_NODE] = node_a

    def input_dim_order(self, input_node: Node, input_order: InputDimOrder) -> bool:
        """Whether an input of the graph lies in this order."""
        if input_node.op != "placeholder":
            return False
        return self.is_nhwc_node(input_node) == (input_order is InputDimOrder.NHWC)

    def input_to_nhwc(self, graph_module: GraphModule, input_node: Node, target_node: Node) -> None:
        """Lets ``target_node`` read ``input_node`` with channels last; a copy is made once for all readers."""
        self._give(input_node, target_node, channels_last=True)

    def input_to_nchw(self, graph_module: GraphModule, input_node: Node, target_node: Node) -> None:
        """Lets ``target_node`` read ``input_node`` in the order of its dimensions."""
        self._give(input_node, target_node, channels_last=False)

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._convert)

    def _convert(self, graph: Graph) -> bool:
        was_nhwc = {one for one in _results(graph) if self._is_nhwc(one.meta[meta_keys.VAL])}
        before = len(graph.nodes)
        changed: set[Node] = set()
        for node in list(graph.nodes):
            if node.op == "placeholder" and _is_image(node):
                self.tag_node(node)
            elif node.op == "output":
                for one in _results(graph):
                    self._give(one, node, channels_last=one in was_nhwc)
            elif node.op == "call_function":
                self._convert_call(node)
                if any(one in changed or self.is_nhwc_node(one) for one in node.all_input_nodes):
                    changed.add(node)
                    node.meta[meta_keys.VAL] = compute_value(node.target, node.args, node.kwargs, graph.nodes)
        return len(graph.nodes) != before or bool(changed)

    def _convert_call(self, node: Node) -> None:
        read = node.all_input_nodes
        if node.target is operator.getitem:
            node.meta[self.XNN_NHWC_NODE] = self.is_nhwc_node(read[0]) and _is_image(node)
        elif self.requires_nhwc_input(node):
            self._give(read[0], node, channels_last=True)
            if _is_image(node) or isinstance(node.meta[meta_keys.VAL], tuple | list):
                self.mark_as_nhwc_node(node)
        elif _is_copy(node):
            if _is_image(node):
                self.tag_node(node)
        elif any(map(self.is_nhwc_node, read)):
            keeps = not self.requires_nchw_inputs(node) and self.can_be_converted_to_nhwc(node)
            for one in read:
                self._give(one, node, channels_last=keeps)
            if keeps:
                self.mark_as_nhwc_node(node)

    def _give(self, source: Node, reader: Node, channels_last: bool) -> None:
        if self.is_nhwc_node(source) == channels_last or not _is_image(source):
            return
        partner = source.meta.get(self.PARTNER_NODE)
        if partner is None:
            partner = self._copy(source, channels_last)
            self.make_partners(source, partner)
        reader.replace_input_with(source, partner)

    def _copy(self, source: Node, channels_last: bool) -> Node:
        wanted = torch.channels_last if channels_last else torch.contiguous_format
        with source.graph.inserting_after(source):
            copy = new_call(source, _aten._to_copy.default, (source,), {"memory_format": wanted})
        made = [copy]
        if is_dequantized(source):
            made += requantized(copy, source)
            # The copy moves integers.
            tag_as_implicit_q_dq(source)
            tag_as_implicit_q_dq(made[1])
        for one in made:
            one.meta.pop(self.PARTNER_NODE, None)
            one.meta[self.XNN_NHWC_NODE] = channels_last
        return made[-1]


def _is_image(node: Any) -> bool:
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and value.dim() == 4


def _is_copy(node: Node) -> bool:
    op = aten_op(node.target)
    return op is not None and op._schema.name in _COPIES


def _results(graph: Graph) -> list[Node]:
    return [one for one in graph.output_node().all_input_nodes if _is_image(one)]
