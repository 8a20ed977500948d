"""Which edges of a captured graph are quantized, by a configuration of coremltools's."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import (
    FakeQuantize,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    PerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

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
_DTYPES = {
    torch.qint8: torch.int8,
    torch.int8: torch.int8,
    torch.quint8: torch.uint8,
    torch.uint8: torch.uint8,
}


class CoreMLQuantizer(Quantizer):
    """For ``prepare_pt2e`` or ``prepare_qat_pt2e``, and ``convert_pt2e``: convolutions, linear layers, sums and products in eight bits.

    Args:
        config: a ``coremltools.optimize.torch.quantization.LinearQuantizerConfig``; its ``global_config`` holds for all layers. Activations
            in ``torch.float32`` leave weights alone quantized. None is its defaults.

    Raises:
        ValueError: the configuration asks for what is not there: other widths, or settings of single modules.
    """

    def __init__(self, config: Any | None) -> None:
        if config is None:
            from executorch.backends.apple.coreml.compiler.toolbox import coremltools

            config = coremltools().optimize.torch.quantization.LinearQuantizerConfig()
        settings = config.global_config
        if config.module_type_configs or config.module_name_configs or settings is None:
            raise ValueError(
                "CoreMLQuantizer: settings of single modules are not supported. Way out: global_config, and "
                "CoreMLPartitioner(skip_ops_for_coreml_delegation=[...]) or layers that are captured apart"
            )
        wanted = {"weight_dtype": settings.weight_dtype, "activation_dtype": settings.activation_dtype}
        wrong = [
            f"{name}={value}" for name, value in wanted.items() if value not in (*_DTYPES, torch.float32)
        ]
        if wrong or settings.weight_dtype == torch.float32 or getattr(settings, "weight_n_bits", 8) != 8:
            raise ValueError(
                f"CoreMLQuantizer: {', '.join(wrong) or 'weights of other than eight bits'}: not supported. Way out: weights in "
                "torch.qint8, activations in torch.quint8 or torch.float32; quantize_ of torchao for fewer bits"
            )
        self._is_symmetric = (
            str(getattr(settings.quantization_scheme, "value", settings.quantization_scheme)) == "symmetric"
        )
        self._by_channel = bool(settings.weight_per_channel)
        self._weights = _DTYPES[settings.weight_dtype]
        self._activations = _DTYPES.get(settings.activation_dtype)

    def annotate(self, model: GraphModule) -> GraphModule:
        """Marks the edges."""
        for node in model.graph.nodes:
            if node.op != "call_function" or _ANNOTATION in node.meta:
                continue
            if node.target in _WEIGHTED and isinstance(node.args[1], Node) and node.args[1].op == "get_attr":
                self._layer(node)
            elif (
                node.target in _OF_TWO
                and self._activations is not None
                and all(map(_is_floating, node.args[:2]))
            ):
                edges = {one: self._of_activations() for one in node.args[:2]}
                self._mark(node, edges)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing that ``annotate`` does not see to."""

    def _layer(self, node: Node) -> None:
        source, weight = node.args[0], node.args[1]
        assert isinstance(source, Node) and isinstance(weight, Node)
        edges: dict[Node, QuantizationSpec | None] = {weight: self._of_weights(_WEIGHTED[node.target])}
        if self._activations is not None:
            edges[source] = self._of_activations()
        self._mark(node, edges)

    def _mark(self, node: Node, edges: dict[Node, QuantizationSpec | None]) -> None:
        """The edges into the operator, and its result, or that of the activations after it which nothing else reads."""
        node.meta[_ANNOTATION] = QuantizationAnnotation(input_qspec_map=edges, _annotated=True)
        if self._activations is None:
            return
        last = node
        while len(last.users) == 1 and (user := next(iter(last.users))).target in _ACTIVATIONS:
            last = user
            last.meta[_ANNOTATION] = QuantizationAnnotation(_annotated=True)
        last.meta[_ANNOTATION].output_qspec = self._of_activations()

    def _of_activations(self) -> QuantizationSpec:
        is_signed = self._activations == torch.int8
        return QuantizationSpec(
            dtype=self._activations or torch.uint8,
            observer_or_fake_quant_ctr=_rounding(MovingAverageMinMaxObserver),
            quant_min=-128 if is_signed else 0,
            quant_max=127 if is_signed else 255,
            qscheme=torch.per_tensor_symmetric if self._is_symmetric else torch.per_tensor_affine,
        )

    def _of_weights(self, channels: int) -> QuantizationSpec:
        is_signed = self._weights == torch.int8
        affine, symmetric = (
            (torch.per_channel_affine, torch.per_channel_symmetric)
            if self._by_channel
            else (torch.per_tensor_affine, torch.per_tensor_symmetric)
        )
        observer: Any = PerChannelMinMaxObserver if self._by_channel else MinMaxObserver
        return QuantizationSpec(
            dtype=self._weights,
            observer_or_fake_quant_ctr=_rounding(observer),
            quant_min=-127 if is_signed else 0,
            quant_max=127 if is_signed else 255,
            qscheme=symmetric if self._is_symmetric else affine,
            ch_axis=channels if self._by_channel else None,
        )


def _rounding(observer: Any) -> Any:
    """Observes and rounds, so that training (``prepare_qat_pt2e``) sees what the integers will hold."""
    return FakeQuantize.with_args(observer=observer, eps=2**-12)


def _is_floating(value: Any) -> bool:
    tensor = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point
