"""Which edges of a captured graph are quantized, by a configuration of coremltools's."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

from executorch.backends.apple.coreml.quantizer.settings import Configuration, LayerSettings

aten = torch.ops.aten
_ANNOTATION = "quantization_annotation"

#: Operators with weights -> along which dimension of those the output channels lie.
_WEIGHTED: dict[Any, int] = {
    aten.conv1d.default: 0,
    aten.conv1d.padding: 0,
    aten.conv2d.default: 0,
    aten.conv2d.padding: 0,
    aten.conv3d.default: 0,
    aten.conv_transpose2d.input: 1,
    aten.linear.default: 0,
}
#: What is calculated with the result of such an operator before it is quantized.
_ACTIVATIONS = {
    aten.relu.default,
    aten.relu_.default,
    aten.hardtanh.default,
    aten.hardtanh_.default,
    aten.batch_norm.default,
}
#: Operators that take two activations.
_OF_TWO = {aten.add.Tensor, aten.add_.Tensor, aten.mul.Tensor, aten.matmul.default, aten.bmm.default}


class CoreMLQuantizer(Quantizer):
    """For ``prepare_pt2e`` or ``prepare_qat_pt2e``, and ``convert_pt2e``: convolutions, linear layers, sums and products in eight bits.

    Args:
        config: a ``coremltools.optimize.torch.quantization.LinearQuantizerConfig``. Settings of modules by name go before those of classes,
            these before ``global_config``; None leaves them in floating point. Activations in ``torch.float32`` leave weights alone
            quantized. None is its defaults.

    Raises:
        ValueError: the configuration asks for what is not there: other widths, or settings of functions.
    """

    def __init__(self, config: Any | None) -> None:
        if config is None:
            from executorch.backends.apple.coreml.compiler.toolbox import coremltools

            config = coremltools().optimize.torch.quantization.LinearQuantizerConfig()
        self._configuration = Configuration(config)

    def annotate(self, model: GraphModule) -> GraphModule:
        """Marks the edges."""
        for node in model.graph.nodes:
            settings = self._configuration.of(node)
            if node.op != "call_function" or _ANNOTATION in node.meta or settings is None:
                continue
            if node.target in _WEIGHTED and isinstance(node.args[1], Node) and node.args[1].op == "get_attr":
                _annotate_layer(node, settings)
            elif (
                node.target in _OF_TWO
                and settings.activations is not None
                and all(map(_is_floating, node.args[:2]))
            ):
                edges = {one: settings.of_activations() for one in node.args[:2]}
                _mark(node, edges, settings)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing that ``annotate`` does not see to."""


def _annotate_layer(node: Node, settings: LayerSettings) -> None:
    source, weight = node.args[0], node.args[1]
    assert isinstance(source, Node) and isinstance(weight, Node)
    edges: dict[Node, QuantizationSpec | None] = {weight: settings.of_weights(_WEIGHTED[node.target])}
    if settings.activations is not None:
        edges[source] = settings.of_activations()
    _mark(node, edges, settings)


def _mark(node: Node, edges: dict[Node, QuantizationSpec | None], settings: LayerSettings) -> None:
    """The edges into the operator, and its result, or that of the activations after it which nothing else reads."""
    node.meta[_ANNOTATION] = QuantizationAnnotation(input_qspec_map=edges, _annotated=True)
    if settings.activations is None:
        return
    last = node
    while len(last.users) == 1 and (user := next(iter(last.users))).target in _ACTIVATIONS:
        last = user
        last.meta[_ANNOTATION] = QuantizationAnnotation(_annotated=True)
    last.meta[_ANNOTATION].output_qspec = settings.of_activations()


def _is_floating(value: Any) -> bool:
    tensor = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point
