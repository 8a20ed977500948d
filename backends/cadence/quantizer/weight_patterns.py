"""The patterns of layers whose weights alone are integers; activations stay in floating point."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.utils.source_matcher_utils import SourcePartition
from torchao.quantization.pt2e.quantizer import SharedQuantizationSpec

from executorch.backends.cadence.ops import operators
from executorch.backends.cadence.quantizer.integers import Quantized, argument, dequantized, write
from executorch.backends.cadence.quantizer.pattern import PartitionAnchors, QuantizationPattern
from executorch.dialects.torch_types import OpOverload
from executorch.ir.values import sizes_of

assert operators.LIBRARIES
_aten = torch.ops.aten
_cadence = torch.ops.cadence


class _WeightsOnly(QuantizationPattern):
    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        (layer,) = fused_partition[0].output_nodes
        return (self.anchors(layer) if self.takes(layer) else PartitionAnchors(empty=True)), layer

    def takes(self, layer: Node) -> bool:
        """Whether the kernel calculates it."""
        raise NotImplementedError

    def anchors(self, layer: Node) -> PartitionAnchors:
        return PartitionAnchors(
            weights=[(layer, 1)], biases=[(layer, 2)], others=[(layer, 0)], output=[(layer,)]
        )

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        weight, bias = (
            dequantized(argument(anchor_node, 1, None)),
            dequantized(argument(anchor_node, 2, None)),
        )
        if weight is None or bias is None or not self.takes(anchor_node):
            return None
        made = self.fused(anchor_node, weight, bias)
        anchor_node.replace_all_uses_with(made, propagate_meta=False)
        anchor_node.graph.erase_node(anchor_node)
        return made

    def fused(self, layer: Node, weight: Quantized, bias: Quantized) -> Node:
        raise NotImplementedError


def _has_bias(layer: Node) -> bool:
    return isinstance(argument(layer, 2, None), Node)


class MixedW8A32LinearPattern(_WeightsOnly):
    """A linear layer of single rows, as decoders have."""

    def partition_types(self) -> list[OpOverload]:
        return [_aten.linear.default]

    def replacement_op(self) -> OpOverload:
        return _cadence.quantized_w8a32_linear.default

    def takes(self, layer: Node) -> bool:
        sizes = sizes_of(layer.all_input_nodes[0])
        return _has_bias(layer) and (len(sizes) == 1 or sizes[-2] == 1)

    def fused(self, layer: Node, weight: Quantized, bias: Quantized) -> Node:
        columns = write(layer, _aten.permute_copy.default, weight.node, [1, 0])
        return write(
            layer, self.replacement_op(), layer.args[0], columns, weight.scale, bias.node, bias.scale
        )


class MixedW8A32ConvPattern(_WeightsOnly):
    """A convolution along one dimension with three taps."""

    def partition_types(self) -> list[OpOverload]:
        return [_aten.conv1d.default]

    def replacement_op(self) -> OpOverload:
        return _cadence.quantized_w8a32_conv.default

    def takes(self, layer: Node) -> bool:
        weight = layer.args[1]
        geometry = [list(argument(layer, 3 + i, [value])) for i, value in enumerate((1, 0, 1))]
        plain = geometry == [[1], [0], [1]] and argument(layer, 6, 1) == 1
        return _has_bias(layer) and plain and isinstance(weight, Node) and sizes_of(weight)[2] == 3

    def fused(self, layer: Node, weight: Quantized, bias: Quantized) -> Node:
        taps = write(layer, _aten.permute_copy.default, weight.node, [2, 0, 1])
        rows = write(layer, _aten.permute_copy.default, layer.args[0], [0, 2, 1])
        return write(layer, self.replacement_op(), rows, taps, weight.scale, bias.node, bias.scale)


class MixedW8A32GruPattern(QuantizationPattern):
    """One step of a GRU of one layer."""

    def partition_types(self) -> list[OpOverload]:
        return [_aten.gru.input]

    def replacement_op(self) -> OpOverload:
        return _cadence.quantized_w8a32_gru.default

    def get_anchors(
        self, gm: GraphModule, fused_partition: list[SourcePartition]
    ) -> tuple[PartitionAnchors, Node]:
        (layer,) = fused_partition[0].output_nodes
        if not self.takes(layer):
            return PartitionAnchors(empty=True), layer
        weights = [(layer, (2, 0)), (layer, (2, 1))]
        # The operator has one scale for both.
        parameters: Any = layer.args[2]
        biases = [(layer, (2, 2)), (layer, (2, 3), SharedQuantizationSpec((parameters[2], layer)))]
        others = [(layer, 0), (layer, 1)]
        return PartitionAnchors(weights=weights, biases=biases, others=others, output=[(layer,)]), layer

    def takes(self, layer: Node) -> bool:
        """``input`` is ``[1, 1, n]``, ``hx`` ``[1, 1, a multiple of 4]``."""
        x, hidden, parameters, has_biases, layers, _, _, bidirectional, _ = layer.args
        sizes, state = (sizes_of(one) for one in (x, hidden))  # type: ignore[arg-type]
        plain = has_biases and layers == 1 and not bidirectional and len(parameters) == 4  # type: ignore[arg-type]
        return bool(plain) and sizes[:-1] == [1, 1] and state[:-1] == [1, 1] and state[-1] % 4 == 0

    def fuse(self, gm: GraphModule, anchor_node: Node) -> Node | None:
        parameters: Any = anchor_node.args[2]
        found = [dequantized(one) for one in parameters]
        integers = [one for one in found if one is not None]
        if len(integers) != 4 or not self.takes(anchor_node) or integers[2].scale != integers[3].scale:
            return None
        inputs, hidden, bias, hidden_bias = integers
        x, state = anchor_node.args[:2]
        weights = inputs.node, inputs.scale, hidden.node, hidden.scale
        made = write(
            anchor_node, self.replacement_op(), x, state, *weights, bias.node, bias.scale, hidden_bias.node
        )
        for user in list(anchor_node.users):
            # The output of the step and the new state are the same values, ``[1, 1, size]`` each.
            assert user.target is operator.getitem
            part = write(user, _aten.select_copy.int, made, 0, user.args[1])
            user.replace_all_uses_with(part, propagate_meta=False)
            user.graph.erase_node(user)
        anchor_node.graph.erase_node(anchor_node)
        return made
