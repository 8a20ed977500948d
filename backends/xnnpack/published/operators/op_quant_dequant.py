"""Conversions with scales that are known."""

from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import program_constants
from executorch.backends.xnnpack.graph.validation import validate_conversion
from executorch.backends.xnnpack.published.operators.builtin import BuiltinVisitor
from executorch.backends.xnnpack.published.operators.node_visitor import offer_node_visitor
from executorch.backends.xnnpack.serialization import schema


class OpStaticQDQNode(BuiltinVisitor):
    """Checks scales and zero points before it adds the conversion."""

    def check_scales_zeropoints(self, node: Node) -> None:
        """Raises a ``ValueError`` for a scale that is not a positive number, and a zero point out of range."""
        validate_conversion(node, program_constants(self.exported_program))

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Appends the conversion.

        Raises:
            ExportError: these are no integers that XNNPACK has.
            ValueError: a scale or a zero point is wrong.
        """
        self.check_scales_zeropoints(node)
        super().define_node(node, xnn_graph, vals_to_ids, debug_handle)


@offer_node_visitor
class OpQuantizePerTensor(OpStaticQDQNode):
    """Integers of floating-point numbers, with one scale."""

    target = "quantized_decomposed.quantize_per_tensor.default"


@offer_node_visitor
class OpDeQuantizePerTensor(OpStaticQDQNode):
    """Floating-point numbers of integers, with one scale."""

    target = "quantized_decomposed.dequantize_per_tensor.default"


class _OfConstants(OpStaticQDQNode):
    """Adds nothing: the layer that reads a constant stores it with its scales."""

    def define_node(
        self, node: Node, xnn_graph: schema.XNNGraph, vals_to_ids: dict[Node, int], debug_handle: int
    ) -> None:
        """Checks scales and zero points only.

        Raises:
            ValueError: one is wrong.
        """
        self.check_scales_zeropoints(node)


@offer_node_visitor
class OpQuantizePerChannelDefault(_OfConstants):
    """Integers of a weight, with a scale for each slice."""

    target = "quantized_decomposed.quantize_per_channel.default"


@offer_node_visitor
class OpDequantizePerChannelDefault(_OfConstants):
    """A weight of integers, with a scale for each slice."""

    target = "quantized_decomposed.dequantize_per_channel.default"


@offer_node_visitor
class OpQuantizePerChannelGroupDefault(_OfConstants):
    """Integers of a weight, with a scale for each group."""

    target = "quantized_decomposed.quantize_per_channel_group.default"


@offer_node_visitor
class OpDequantizePerChannelGroupDefault(_OfConstants):
    """A weight of integers, with a scale for each group."""

    target = "quantized_decomposed.dequantize_per_channel_group.default"
