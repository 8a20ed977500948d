"""Which edges of a captured graph are quantized, so that OpenVINO calculates with integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from operator import attrgetter
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
from torchao.quantization.pt2e.quantizer import QuantizationAnnotation, QuantizationSpec, Quantizer

from executorch.backends.openvino.conversion.compression import Compression
from executorch.backends.openvino.quantizer import nncf_weights
from executorch.backends.openvino.quantizer.four_bits import GroupObserver
from executorch.backends.openvino.quantizer.ignored_scope import IgnoredScope

aten = torch.ops.aten
_ANNOTATION = "quantization_annotation"

#: Operators with weights -> which argument they are, and along which dimension the output channels lie.
_WEIGHTED = {
    aten.conv1d.default: (1, 0),
    aten.conv1d.padding: (1, 0),
    aten.conv2d.default: (1, 0),
    aten.conv2d.padding: (1, 0),
    aten.conv3d.default: (1, 0),
    aten.conv_transpose1d.default: (1, 1),
    aten.conv_transpose2d.input: (1, 1),
    aten.linear.default: (1, 0),
}
#: Operators that look rows of a constant up.
_TABLES = {aten.embedding.default}
#: Operators that take two activations. Attention in one piece stays in floating point.
_PRODUCTS = {aten.matmul.default, aten.bmm.default, aten.mm.default}


class QuantizationMode(Enum):
    """What is quantized.

    * ``INT8_SYM``: activations and weights, both symmetric; the fastest.
    * ``INT8_MIXED``: activations with a zero point, weights symmetric; the most accurate of these.
    * ``INT8_TRANSFORMER``: as mixed, and products of two activations stay in floating point.
    * ``INT8WO_SYM``, ``INT8WO_ASYM``: weights alone.
    * ``INT4WO_SYM``, ``INT4WO_ASYM``: weights of linear layers alone, in four bits by groups of columns.
    """

    INT8_SYM = "int8_sym"
    INT8_MIXED = "int8_mixed"
    INT8_TRANSFORMER = "int8_transformer"
    INT8WO_SYM = "int8wo_sym"
    INT8WO_ASYM = "int8wo_asym"
    INT4WO_SYM = "int4wo_sym"
    INT4WO_ASYM = "int4wo_asym"


_FOUR_BITS = {QuantizationMode.INT4WO_SYM, QuantizationMode.INT4WO_ASYM}
_WEIGHTS_ONLY = {QuantizationMode.INT8WO_SYM, QuantizationMode.INT8WO_ASYM} | _FOUR_BITS
#: Columns that share a scale in four bits, where nothing is said.
_GROUP = 128


class OpenVINOQuantizer(Quantizer):
    """For ``prepare_pt2e`` and ``convert_pt2e``: convolutions, linear layers and products of matrices in int8.

    Args:
        mode: what is quantized, and how.
        overflow_fix: weights beside quantized activations have seven bits. Processors without VNNI add pairs of products in
            16 bits, where two of eight bits may not fit: results were off by a third of their range on one of AVX2.
        group_size: in four bits, the columns that share a scale (128); -1 for whole rows. Rows that do not fall into whole
            groups have one scale.
        all_layers: in four bits, tables of embeddings and the last layer have four bits as well; otherwise eight.

    Raises:
        ValueError: a group size or ``all_layers`` for a mode of eight bits, or a group of less than two columns.
    """

    def __init__(
        self,
        *,
        mode: QuantizationMode = QuantizationMode.INT8_SYM,
        overflow_fix: bool = True,
        group_size: int | None = None,
        all_layers: bool = False,
    ) -> None:
        if mode not in _FOUR_BITS and (group_size not in (None, -1) or all_layers):
            raise ValueError(
                f"OpenVINOQuantizer(mode={mode}): group_size and all_layers are of four bits. Way out: INT4WO_SYM, INT4WO_ASYM"
            )
        if group_size is not None and group_size != -1 and group_size < 2:
            raise ValueError(
                f"OpenVINOQuantizer(group_size={group_size}): two columns or more share a scale, or -1 for whole rows"
            )
        self.mode = mode
        self._groups = Compression(
            4, mode == QuantizationMode.INT4WO_ASYM, _GROUP if group_size is None else group_size
        )
        self._all_layers = all_layers
        self._largest_weight = 63 if overflow_fix and mode not in _WEIGHTS_ONLY else 127
        self._scope = IgnoredScope()

    def set_ignored_scope(
        self,
        names: Iterable[str] | None = None,
        patterns: Iterable[str] | None = None,
        types: Iterable[Any] | None = None,
        subgraphs: Iterable[tuple[Iterable[str], Iterable[str]]] | None = None,
        validate: bool = True,
    ) -> None:
        """Leaves nodes in floating point.

        Args:
            names: of nodes in the captured graph.
            patterns: regular expressions that names begin with.
            types: operators, as ``torch.ops.aten.linear.default`` or ``"linear"``.
            subgraphs: pairs of names, where a part begins and where it ends; both are in it.
            validate: whether ``annotate`` insists that each of them is there.
        """
        self._scope = IgnoredScope(
            frozenset(names or ()),
            tuple(patterns or ()),
            frozenset(types or ()),
            tuple(subgraphs or ()),
            validate,
        )

    _last: Node | None = None

    def annotate(self, model: GraphModule) -> GraphModule:
        """Marks the edges.

        Raises:
            ValueError: something that is ignored is not in the graph.
        """
        ignored = self._scope.nodes(model.graph)
        linear = [node for node in model.graph.nodes if node.target is aten.linear.default]
        self._last = linear[-1] if linear else None
        for node in model.graph.nodes:
            if node.op != "call_function" or node in ignored:
                continue
            edges = self._edges(node) if self.mode not in _FOUR_BITS else self._few_bits(node)
            if edges:
                node.meta[_ANNOTATION] = QuantizationAnnotation(input_qspec_map=edges, _annotated=True)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing that ``annotate`` does not see to."""

    def get_weights_compression_config(self) -> dict[str, Any]:
        """What NNCF's ``compress_pt2e`` asks for: its mode, the group size, whether all layers have few bits.

        Raises:
            ValueError: activations are quantized as well.
            ImportError: there is no NNCF.
        """
        return nncf_weights.configuration(self._compression(), self._all_layers)

    def get_nncf_weight_compression_parameters(self, model: GraphModule, nncf_graph: Any) -> Any:
        """What NNCF's ``compress_pt2e`` compresses: all weights, those in the mode's bits, those that stay.

        Raises:
            ValueError: activations are quantized as well.
            ImportError: there is no NNCF.
        """
        ignored = {node.name for node in self._scope.nodes(model.graph)}
        return nncf_weights.parameters(model, nncf_graph, ignored, self._compression(), self._all_layers)

    def _compression(self) -> Compression:
        if self.mode not in _WEIGHTS_ONLY:
            names = ", ".join(sorted(mode.name for mode in _WEIGHTS_ONLY))
            raise ValueError(
                f"OpenVINOQuantizer(mode={self.mode}) quantizes activations; NNCF compresses weights alone. Way out: {names}"
            )
        if self.mode in _FOUR_BITS:
            return self._groups
        return Compression(8, self.mode == QuantizationMode.INT8WO_ASYM, -1)

    def _edges(self, node: Node) -> dict[Node, QuantizationSpec | None]:
        if node.target in _WEIGHTED:
            place, channels = _WEIGHTED[node.target]
            source, weight = node.args[0], node.args[place]
            if not isinstance(source, Node) or not isinstance(weight, Node) or weight.op != "get_attr":
                return {}
            edges: dict[Node, QuantizationSpec | None] = {weight: self._weights(channels)}
            if self.mode not in _WEIGHTS_ONLY:
                edges[source] = self._activations()
            return edges
        is_product = node.target in _PRODUCTS and self.mode in (
            QuantizationMode.INT8_SYM,
            QuantizationMode.INT8_MIXED,
        )
        if is_product and all(_is_floating(one) for one in node.args):
            return {one: self._activations() for one in node.args if isinstance(one, Node)}
        return {}

    def _few_bits(self, node: Node) -> dict[Node, QuantizationSpec | None]:
        """Four bits for matrices; eight for convolutions and, unless all layers are asked for, tables and the last layer."""
        place, channels = (0, 0) if node.target in _TABLES else _WEIGHTED.get(node.target, (None, 0))
        weight = None if place is None else node.args[place]
        if not isinstance(weight, Node) or weight.op != "get_attr":
            return {}
        is_kept = not self._all_layers and (node.target in _TABLES or node is self._last)
        if node.target in _TABLES or node.target is aten.linear.default:
            return {weight: self._weights(channels) if is_kept else self._group_weights()}
        return {weight: self._weights(channels)}

    def _group_weights(self) -> QuantizationSpec:
        return QuantizationSpec(
            dtype=torch.uint8, observer_or_fake_quant_ctr=GroupObserver.with_args(asked=self._groups)
        )

    def _activations(self) -> QuantizationSpec:
        if self.mode == QuantizationMode.INT8_SYM:
            return _spec(HistogramObserver, torch.int8, -128, 127, torch.per_tensor_symmetric)
        return _spec(HistogramObserver, torch.uint8, 0, 255, torch.per_tensor_affine)

    def _weights(self, channels: int) -> QuantizationSpec:
        # Beside signed weights alone the plugin would quantize activations as well.
        if self.mode == QuantizationMode.INT8WO_ASYM or self.mode in _FOUR_BITS:
            return _spec(PerChannelMinMaxObserver, torch.uint8, 0, 255, torch.per_channel_affine, channels)
        most = self._largest_weight
        return _spec(PerChannelMinMaxObserver, torch.int8, -most, most, torch.per_channel_symmetric, channels)


def _is_floating(value: Any) -> bool:
    tensor = value.meta.get("val") if isinstance(value, Node) else None
    return isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point


def _spec(
    observer: type[HistogramObserver | MinMaxObserver | PerChannelMinMaxObserver],
    dtype: torch.dtype,
    low: int,
    high: int,
    scheme: torch.qscheme,
    channels: int | None = None,
) -> QuantizationSpec:
    return QuantizationSpec(
        dtype=dtype,
        observer_or_fake_quant_ctr=observer.with_args(eps=2**-12),
        quant_min=low,
        quant_max=high,
        qscheme=scheme,
        ch_axis=channels,
        is_dynamic=False,
    )


def _observe_weights(prepared: GraphModule) -> None:
    """Shows observers of constants what they observe: it is known without an example."""
    for node in prepared.graph.nodes:
        source = node.args[0] if node.op == "call_module" and node.args else None
        if isinstance(source, Node) and source.op == "get_attr":
            observed = attrgetter(str(source.target))(prepared)
            with torch.no_grad():
                prepared.get_submodule(str(node.target))(observed)


def quantize_model(
    captured_model: GraphModule,
    calibration_dataset: Iterable[Any],
    *,
    mode: QuantizationMode = QuantizationMode.INT8_SYM,
    subset_size: int = 300,
    transform_fn: Callable[[Any], Any] | None = None,
    extra_quantizer_options: dict[str, Any] | None = None,
) -> GraphModule:
    """Quantizes a captured model with examples.

    Args:
        captured_model: ``torch.export.export(model, inputs).module()``.
        calibration_dataset: what yields inputs, one or a tuple of them, such as a ``DataLoader``; weights alone need none.
        mode: what is quantized.
        subset_size: how many of the examples are looked at.
        transform_fn: makes the inputs of what the data set yields.
        extra_quantizer_options: further arguments of :class:`OpenVINOQuantizer`.

    Raises:
        ValueError: activations are quantized, and there is no example.
    """
    prepared = prepare_pt2e(captured_model, OpenVINOQuantizer(mode=mode, **(extra_quantizer_options or {})))
    _observe_weights(prepared)
    seen = 0
    for example in calibration_dataset:
        inputs = example if transform_fn is None else transform_fn(example)
        prepared(*inputs) if isinstance(inputs, tuple | list) else prepared(inputs)
        seen += 1
        if seen >= subset_size:
            break
    if seen == 0 and mode not in _WEIGHTS_ONLY:
        raise ValueError("quantize_model: the data set is empty, and the ranges of activations come from it")
    return convert_pt2e(prepared)
