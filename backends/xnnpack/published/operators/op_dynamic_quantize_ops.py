"""Quantization with scales that are found at run time, one for each row."""

from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import GraphBuilder
from executorch.backends.xnnpack.graph.layout import Layout
from executorch.backends.xnnpack.published.operators.node_visitor import (
    NodeVisitor,
    get_input_node,
    offer_node_visitor,
)
from executorch.backends.xnnpack.serialization import schema


class OpDynamicQuantizeNode(NodeVisitor):
    """Adds the conversion of a tensor's rows."""

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Appends the conversion; ``node`` gets the integers' value."""
        source = get_input_node(node, 0)
        self.define_tensor(source, xnn_graph, vals_to_ids)
        builder = GraphBuilder(self.exported_program, xnn_graph, self._named_data_store)
        builder.found(source, Layout.PLAIN, vals_to_ids[source])
        vals_to_ids[node] = builder.dynamic(source, Layout.PLAIN, dimensions=1)
        xnn_graph.xnodes[-1].debug_handle = debug_handle


@offer_node_visitor
class OpDynamicQuantizePerTensor(OpDynamicQuantizeNode):
    """Of a tensor; XNNPACK has a scale for each row, which is at least as exact."""

    target = "quantized_decomposed.quantize_per_tensor.tensor"


@offer_node_visitor
class OpDynamicQuantizePerToken(OpDynamicQuantizeNode):
    """Of each row."""

    target = "quantized_decomposed.quantize_per_token.default"


@offer_node_visitor
class OpQuantizeAffine(OpDynamicQuantizeNode):
    """In torchao's form."""

    target = "torchao.quantize_affine.default"
