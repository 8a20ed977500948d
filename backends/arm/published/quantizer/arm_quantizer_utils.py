"""What quantizers of one's own are made of, under its published name: checks of patterns, and one that annotates patterns."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationSpec, Quantizer

from executorch.backends.arm.quantizer.annotations import WEIGHTED, is_real, mark_node_as_annotated
from executorch.backends.arm.quantizer.quantization_config import as_config, has_scales_by_output


class PatternCheck:
    """To be derived from: what a pattern's operators must be besides being there. This one accepts all."""

    @classmethod
    def is_per_tensor(cls, qspec: Any) -> bool:
        """Whether values have one scale."""
        return isinstance(qspec, QuantizationSpec) and qspec.qscheme in (
            torch.per_tensor_affine,
            torch.per_tensor_symmetric,
        )

    @classmethod
    def is_per_channel(cls, qspec: Any) -> bool:
        """Whether values have a scale for each output."""
        return has_scales_by_output(qspec)

    @classmethod
    def is_int8_activations(cls, qconfig: Any, output_node: Node | None = None) -> bool:
        """Whether operands and results are int8."""
        config = as_config(qconfig)
        specs = (config.get_input_act_qspec(), config.get_output_act_qspec(output_node))
        return all(getattr(one, "dtype", None) is torch.int8 for one in specs)

    @classmethod
    def check_pattern(cls, pattern: list[Node]) -> bool:
        """Whether these nodes are calculated on integers."""
        return True

    @classmethod
    def check_quantization_config(cls, pattern: list[Node], quantization_config: Any) -> bool:
        """Whether they are with these types and scales."""
        return True


class PatternQuantizer(Quantizer):
    """Annotates the patterns that a matcher accepts among the nodes that a finder finds.

    Operands of calls from outside a pattern and its last result are quantized; what lies within, and what the graph gives, is not.

    Args:
        quantization_config: of all patterns; None leaves them in floating point, and for no other quantizer.
        node_finder: with ``find_nodes(model)``.
        pattern_matcher: with ``find_pattern_matches(nodes, quantization_config)``.
    """

    def __init__(self, quantization_config: Any, node_finder: Any, pattern_matcher: Any) -> None:
        self.quantization_config = quantization_config
        self.node_finder = node_finder
        self.pattern_matcher = pattern_matcher

    def annotate(self, model: GraphModule) -> GraphModule:
        nodes = self.node_finder.find_nodes(model)
        for match in self.pattern_matcher.find_pattern_matches(nodes, self.quantization_config):
            if match.accepted:
                self.annotate_match(match.pattern, self.quantization_config)
        return model

    def annotate_match(self, match: list[Node], config: Any) -> None:
        """Says how one pattern is quantized."""
        for node in match:
            if config is None:
                mark_node_as_annotated(node, {}, None, is_quantized=False)
                continue
            asked = as_config(config)
            inputs = {
                operand: _spec(asked, node, operand)
                for operand in node.all_input_nodes
                if node.op == "call_function" and operand not in match and is_real(operand)
            }
            writes = node is match[-1] and is_real(node)
            mark_node_as_annotated(node, inputs, asked.get_output_act_qspec(node) if writes else None)

    def validate(self, model: GraphModule) -> None:
        """Nothing: the matcher has checked each pattern."""


def _spec(config: Any, node: Node, operand: Node) -> Any:
    place = node.args.index(operand) if operand in node.args else 0
    if str(node.target) in WEIGHTED and place in (1, 2):
        return config.get_weight_qspec(node) if place == 1 else config.get_bias_qspec(node)
    return config.get_input_act_qspec(node, operand)
