"""Dequantization of what was quantized at run time, which the layer behind it does."""

from torch.fx import Node

from executorch.backends.xnnpack.published.operators.node_visitor import (
    NodeVisitor,
    get_input_node,
    offer_node_visitor,
)
from executorch.backends.xnnpack.serialization import schema


class OpDynamicDequantizeNode(NodeVisitor):
    """Gives the layer behind it the integers."""

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Adds no node; ``node`` gets the value of the integers that it reads.

        Raises:
            KeyError: these have no value yet.
        """
        vals_to_ids[node] = vals_to_ids[get_input_node(node, 0)]


@offer_node_visitor
class OpDynamicDequantizePerTensor(OpDynamicDequantizeNode):
    """Of a tensor."""

    target = "quantized_decomposed.dequantize_per_tensor.tensor"


@offer_node_visitor
class OpDynamicDequantizePerToken(OpDynamicDequantizeNode):
    """Of each row."""

    target = "quantized_decomposed.dequantize_per_token.default"


@offer_node_visitor
class OpDequantizeAffine(OpDynamicDequantizeNode):
    """In torchao's form."""

    target = "torchao.dequantize_affine.default"
