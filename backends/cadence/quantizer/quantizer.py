"""Says how a captured graph is quantized for Xtensa, with torchao's PT2E flow: one quantizer a pattern, and combinations of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.quantizer import (
    ComposableQuantizer,
    QuantizationAnnotation,
    Quantizer,
)
from torchao.quantization.pt2e.quantizer.quantizer import Q_ANNOTATION_KEY
from torchao.quantization.pt2e.quantizer.utils import OperatorConfig, QuantizationConfig

from executorch.backends.cadence.quantizer import configs, patterns, weight_patterns
from executorch.backends.cadence.quantizer.pattern import QuantizationPattern, chains, partitions
from executorch.dialects.torch_types import OpOverload


class CadenceAtenQuantizer(Quantizer):
    """Annotates the matches of one pattern that no other has annotated.

    Args:
        pattern: which operators, and which of their edges.
        quantization_config: how activations, weights and biases are quantized.
    """

    def __init__(self, pattern: QuantizationPattern, quantization_config: QuantizationConfig) -> None:
        super().__init__()
        self.pattern = pattern
        self.quantization_config = quantization_config

    def annotate(self, model: GraphModule) -> GraphModule:
        for chain in chains(model, self.pattern.partition_types()):
            if not any(_is_annotated(node) for node in chain):
                self._annotate(model, chain)
        return model

    def _annotate(self, model: GraphModule, chain: Sequence[Node]) -> None:
        anchors, _ = self.pattern.get_anchors(model, partitions(chain))
        if anchors.empty:
            return
        config = self.quantization_config
        for node, *how in anchors.output:
            _annotation(node).output_qspec = how[0] if how else config.output_activation
        for edges, spec in (
            (anchors.inputs, config.input_activation),
            (anchors.weights, config.weight),
            (anchors.biases, config.bias),
        ):
            for node, position, *how in edges:
                _annotation(node).input_qspec_map[_argument(node, position)] = how[0] if how else spec
        for node in chain:
            _annotation(node)

    def validate(self, model: GraphModule) -> None:
        pass

    @classmethod
    def get_supported_operators(cls) -> list[OperatorConfig]:
        return []


def _is_annotated(node: Node) -> bool:
    found = node.meta.get(Q_ANNOTATION_KEY)
    return found is not None and found._annotated


def _annotation(node: Node) -> QuantizationAnnotation:
    """The node's annotation, a new one if it has none."""
    return node.meta.setdefault(Q_ANNOTATION_KEY, QuantizationAnnotation(_annotated=True))


def _argument(node: Node, position: int | tuple[int, int]) -> Any:
    if isinstance(position, tuple):
        within: Any = node.args[position[0]]
        return within[position[1]]
    return node.args[position]


class CadenceQuantizer(ComposableQuantizer):
    """Quantizers one after the other; the first one that annotates a match keeps it."""

    def __init__(self, quantizers: list[Quantizer]) -> None:
        super().__init__(quantizers)

    def get_ops_to_preserve_from_decomposition(self) -> list[OpOverload]:
        """The operators that the patterns are made of, each once."""
        found: dict[OpOverload, None] = {}
        for one in self.quantizers:
            if isinstance(one, CadenceQuantizer):
                found.update(dict.fromkeys(one.get_ops_to_preserve_from_decomposition()))
            elif isinstance(one, CadenceAtenQuantizer):
                found.update(dict.fromkeys(one.pattern.partition_types()))
        return list(found)


def _quantizers(config: QuantizationConfig, *kinds: type[QuantizationPattern]) -> list[Quantizer]:
    return [CadenceAtenQuantizer(kind(), config) for kind in kinds]


def get_cadence_default_quantizers(is_qat: bool = False) -> list[Quantizer]:
    """Those for layers that hold weights, products of matrices, max pools and the activations behind them."""
    layers = configs.qconfig_A8W8_qat if is_qat else configs.qconfig_A8W8
    symmetric = configs.qconfig_A8W8sym_qat if is_qat else configs.qconfig_A8W8sym
    return [
        *_quantizers(layers, patterns.AddmmPattern, patterns.BmmPattern),
        *_quantizers(symmetric, patterns.Conv1dPattern, patterns.Conv2dPattern),
        *_quantizers(
            layers,
            patterns.LinearPattern,
            patterns.MatmulPattern,
            patterns.MaxPool2dPattern,
            patterns.MaxPool2dWithoutIndicesPattern,
            patterns.ReluPattern0,
            patterns.ReluPattern1,
        ),
    ]


def _or_default(quantizers: list[Quantizer] | None, is_qat: bool = False) -> list[Quantizer]:
    return get_cadence_default_quantizers(is_qat) if quantizers is None else list(quantizers)


class CadenceDefaultQuantizer(CadenceQuantizer):
    """Activations and weights of 8 bits for layers that hold weights, products, max pools and activations.

    Args:
        quantizers: others in their place.
        is_qat: for training.
    """

    def __init__(self, quantizers: list[Quantizer] | None = None, is_qat: bool = False) -> None:
        super().__init__(_or_default(quantizers, is_qat))


class CadenceNopQuantizer(CadenceQuantizer):
    """Quantizes nothing."""

    def __init__(self) -> None:
        super().__init__([])


class CadenceRmsNormNopQuantizer(CadenceQuantizer):
    """Quantizes nothing; RMS norms stay one operator."""

    def __init__(self) -> None:
        super().__init__(_quantizers(configs.qconfig_A8W8, patterns.RmsNormPattern))


class CadenceWithLayerNormQuantizer(CadenceQuantizer):
    """The default one, with layer norms."""

    def __init__(self, quantizers: list[Quantizer] | None = None) -> None:
        super().__init__(
            [*_or_default(quantizers), *_quantizers(configs.qconfig_A8W8, patterns.LayerNormPattern)]
        )


class CadenceWakeWordQuantizer(CadenceQuantizer):
    """The default one, with sums and concatenations."""

    def __init__(self, quantizers: list[Quantizer] | None = None, is_qat: bool = False) -> None:
        config = configs.qconfig_A8W8_qat if is_qat else configs.qconfig_A8W8
        more = _quantizers(config, patterns.AddPattern, patterns.CatPattern)
        super().__init__([*_or_default(quantizers, is_qat), *more])


_FUSED: Final = (
    patterns.Conv1dBNReluPattern0,
    patterns.Conv1dBNReluPattern1,
    patterns.Conv2dBNReluPattern0,
    patterns.Conv2dBNReluPattern1,
    patterns.Conv1dReluPattern0,
    patterns.Conv1dReluPattern1,
    patterns.Conv2dReluPattern0,
    patterns.Conv2dReluPattern1,
)


class CadenceFusedConvReluQuantizer(CadenceQuantizer):
    """The one for wake words, with activations behind convolutions and sums as the range of their integers."""

    def __init__(self, quantizers: list[Quantizer] | None = None, is_qat: bool = False) -> None:
        symmetric = configs.qconfig_A8W8sym_qat if is_qat else configs.qconfig_A8W8sym
        config = configs.qconfig_A8W8_qat if is_qat else configs.qconfig_A8W8
        super().__init__(
            [
                *_quantizers(symmetric, *_FUSED),
                *_quantizers(config, patterns.AddReluPattern0, patterns.AddReluPattern1),
                *_or_default(quantizers, is_qat),
                *_quantizers(config, patterns.AddPattern, patterns.CatPattern),
            ]
        )


class CadenceW8A32MixedQuantizer(CadenceQuantizer):
    """Weights of 8 bits, activations in floating point: linear layers, convolutions along one dimension, GRUs."""

    def __init__(self) -> None:
        super().__init__(
            _quantizers(
                configs.qconfig_A32W8sym,
                weight_patterns.MixedW8A32LinearPattern,
                weight_patterns.MixedW8A32ConvPattern,
                weight_patterns.MixedW8A32GruPattern,
            )
        )


class CadenceWithSoftmaxQuantizer(CadenceQuantizer):
    """The default one, with softmax of 16 bits."""

    def __init__(self, quantizers: list[Quantizer] | None = None) -> None:
        super().__init__(
            [*_or_default(quantizers), *_quantizers(configs.qconfig_A16, patterns.SoftmaxPattern)]
        )


def _only(quantizers: list[Quantizer] | None, *kinds: type[QuantizationPattern]) -> list[Quantizer]:
    return _quantizers(configs.qconfig_A16, *kinds) if quantizers is None else list(quantizers)


class CadenceWith16BitLinearActivationsQuantizer(CadenceQuantizer):
    """Linear layers alone, with activations of 16 bits."""

    def __init__(self, quantizers: list[Quantizer] | None = None) -> None:
        super().__init__(_only(quantizers, patterns.LinearPattern))


class CadenceWith16BitConvActivationsQuantizer(CadenceQuantizer):
    """Convolutions alone, with activations of 16 bits."""

    def __init__(self, quantizers: list[Quantizer] | None = None) -> None:
        super().__init__(_only(quantizers, patterns.Conv1dPattern, patterns.Conv2dPattern))


class CadenceWith16BitMatmulActivationsQuantizer(CadenceQuantizer):
    """Products of matrices alone, of 16 bits."""

    def __init__(self, quantizers: list[Quantizer] | None = None) -> None:
        super().__init__(_only(quantizers, patterns.MatmulPattern))


def patterns_of(quantizers: Iterable[Any]) -> list[QuantizationPattern]:
    """The patterns of quantizers and of what they are made of, in order."""
    found: list[QuantizationPattern] = []
    for one in quantizers:
        if isinstance(one, ComposableQuantizer):
            found += patterns_of(one.quantizers)
        elif isinstance(one, CadenceAtenQuantizer):
            found.append(one.pattern)
    return found
