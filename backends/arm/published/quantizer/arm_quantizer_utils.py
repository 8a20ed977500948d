"""What quantizers of one's own are made of, under its published name: checks of patterns, one that annotates patterns, and one for what moves data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationSpec, Quantizer, SharedQuantizationSpec

from executorch.backends.arm.quantizer.annotations import (
    ANNOTATION,
    MOVING,
    WEIGHTED,
    is_real,
    mark_node_as_annotated,
)
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


def _operators(names: Iterable[str]) -> list[Callable[..., Any]]:
    """Those of PyTorch's that this version of it has."""
    found = []
    for name in names:
        _, packet, overload = name.split(".")
        found.append(getattr(getattr(torch.ops.aten, packet, None), overload, None))
    return [one for one in found if one is not None]


class SharedQspecQuantizer(Quantizer):
    """Operators that move data get one scale on all sides, that of what is annotated around them.

    Such calls behind each other are taken together; where nothing around them is quantized they stay in floating point. It comes last
    among quantizers.

    Args:
        targets: the operators, in place of ``SHARED_QSPEC_OPS_DEFAULT``.
    """

    SHARED_QSPEC_OPS_DEFAULT: ClassVar[list[Callable[..., Any]]] = _operators(
        [*sorted(MOVING), "aten.maximum.default", "aten.minimum.default"]
    )

    def __init__(self, targets: Sequence[Callable[..., Any]] | None = None) -> None:
        self.targets = list(self.SHARED_QSPEC_OPS_DEFAULT if targets is None else targets)

    def annotate(self, model: GraphModule) -> GraphModule:
        for node in model.graph.nodes:
            if self._is_free(node):
                self._annotate_all(self._together(node))
        return model

    def _is_free(self, node: Node) -> bool:
        return node.target in self.targets and is_real(node) and ANNOTATION not in node.meta

    def _together(self, first: Node) -> list[Node]:
        """Calls that ``first`` is connected with, in the order of the graph."""
        found, waiting = {first}, [first]
        while waiting:
            node = waiting.pop()
            for other in (*node.all_input_nodes, *node.users):
                if other not in found and self._is_free(other):
                    found.add(other)
                    waiting.append(other)
        return [one for one in first.graph.nodes if one in found]

    def _annotate_all(self, calls: list[Node]) -> None:
        spec = next(filter(None, (_neighbours_spec(one, calls) for one in calls)), None)
        first = next((one for one in calls[0].all_input_nodes if is_real(one)), None)
        if spec is None or first is None:
            return
        shared = SharedQuantizationSpec((first, calls[0]))
        for node in calls:
            inputs: dict[Node, Any] = dict.fromkeys(filter(is_real, node.all_input_nodes), shared)
            if node is calls[0]:
                inputs[first] = spec
            mark_node_as_annotated(node, inputs, shared)

    def validate(self, model: GraphModule) -> None:
        """Nothing: what is shared is what others have checked."""


def _neighbours_spec(node: Node, inside: list[Node]) -> QuantizationSpec | None:
    """The spec that something outside has for an operand or for the result."""
    specs = [
        one.meta[ANNOTATION].output_qspec
        for one in node.all_input_nodes
        if one not in inside and ANNOTATION in one.meta
    ]
    specs += [
        user.meta[ANNOTATION].input_qspec_map.get(node)
        for user in node.users
        if user not in inside and ANNOTATION in user.meta
    ]
    return next((one for one in specs if isinstance(one, QuantizationSpec)), None)
