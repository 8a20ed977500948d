"""Annotations: what the quantizer leaves at nodes for ``prepare_pt2e``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch.fx import Node
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY


def _annotation(node: Node) -> QuantizationAnnotation:
    found: QuantizationAnnotation = node.meta.setdefault(
        Q_ANNOTATION_KEY, QuantizationAnnotation(_annotated=True)
    )
    return found


def _annotate_nodes(
    node_tuples: Iterable[tuple[Node, Node]], quant_spec: Any, input_node: bool = False
) -> None:
    """Says how values are quantized.

    Args:
        node_tuples: pairs ``(node, value)``: the operator that keeps the annotation, and the value that is quantized.
        quant_spec: how.
        input_node: whether the value is an operand of the node; else it is the node's result.
    """
    for node, value in node_tuples:
        annotation = _annotation(node)
        if input_node:
            annotation.input_qspec_map[value] = quant_spec
        else:
            annotation.output_qspec = quant_spec


def _nodes_are_annotated(node_list: Iterable[Node]) -> bool:
    """Whether one of these nodes has been annotated before: the first pattern that matches keeps it."""
    return any(
        annotation is not None and annotation._annotated
        for annotation in (node.meta.get(Q_ANNOTATION_KEY) for node in node_list)
    )


def annotate_weighted(operation: Node, result: Node, quant_config: Any) -> None:
    """Annotates a layer with weights: its input, its weight, its bias if the configuration says how, its result.

    Args:
        operation: the call with the weights: ``(input, weight, bias)``.
        result: the node whose result is quantized: the same, or the activation after it.
        quant_config: an ``ExampleQuantConfig``.
    """
    source, weight, *rest = operation.all_input_nodes
    _annotate_nodes([(operation, source)], quant_config.input_quant_spec, input_node=True)
    _annotate_nodes([(operation, weight)], quant_config.weight_quant_spec, input_node=True)
    if rest and quant_config.bias_quant_spec is not None:
        _annotate_nodes([(operation, rest[0])], quant_config.bias_quant_spec, input_node=True)
    _annotate_nodes([(result, result)], quant_config.output_quant_spec)


def annotate_unary(operation: Node, quant_config: Any) -> None:
    """Annotates the tensors that an operator without weights reads, and its result."""
    for source in operation.all_input_nodes:
        _annotate_nodes([(operation, source)], quant_config.input_quant_spec, input_node=True)
    _annotate_nodes([(operation, operation)], quant_config.output_quant_spec)


__all__ = ["_annotate_nodes", "_nodes_are_annotated", "annotate_unary", "annotate_weighted"]
