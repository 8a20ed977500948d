"""Which weights of a captured graph are quantized, so that Vulkan reads them as integers, and which inputs of theirs."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e import PerChannelMinMaxObserver, PlaceholderObserver
from torchao.quantization.pt2e.quantizer import (
    QuantizationAnnotation,
    QuantizationConfig,
    QuantizationSpec,
    Quantizer,
)

_ANNOTATION = "quantization_annotation"
_LINEAR = torch.ops.aten.linear.default
#: Bits -> the integers that they hold.
_RANGES = {4: (-8, 7), 8: (-127, 127)}


@functools.lru_cache
def get_symmetric_quantization_config(
    is_dynamic: bool = False,
    weight_bits: int = 8,
    act_bits: int = 8,
    act_qmin: int | None = None,
    act_qmax: int | None = None,
    weight_qmin: int | None = None,
    weight_qmax: int | None = None,
) -> QuantizationConfig:
    """Weights of linear layers, symmetric, with a scale for each output; with ``is_dynamic`` their inputs as well, by one scale and zero point
    that are found at run time.

    Args:
        is_dynamic: inputs are quantized at run time; otherwise they stay in floating point, and what is said of activations says nothing.
        weight_bits: 8 or 4.
        act_bits: of inputs; 8.
        act_qmin, act_qmax: range of the integers of inputs, by default that of int8.
        weight_qmin, weight_qmax: range of the integers of weights, by default that of the bits.

    Raises:
        ValueError: weights or inputs have another number of bits.
    """
    if is_dynamic and act_bits != 8:
        raise ValueError(f"act_bits is {act_bits}. Way out: 8")
    if weight_bits not in _RANGES:
        raise ValueError(f"weight_bits is {weight_bits}. Way out: one of {sorted(_RANGES)}")
    low, high = _RANGES[weight_bits]
    weight = QuantizationSpec(
        dtype=torch.int8,
        quant_min=low if weight_qmin is None else weight_qmin,
        quant_max=high if weight_qmax is None else weight_qmax,
        qscheme=torch.per_channel_symmetric,
        ch_axis=0,
        observer_or_fake_quant_ctr=PerChannelMinMaxObserver,
    )
    return QuantizationConfig(_at_run_time(act_qmin, act_qmax) if is_dynamic else None, None, weight, None)


def _at_run_time(least: int | None, most: int | None) -> QuantizationSpec:
    return QuantizationSpec(
        dtype=torch.int8,
        quant_min=-128 if least is None else least,
        quant_max=127 if most is None else most,
        qscheme=torch.per_tensor_affine,
        is_dynamic=True,
        observer_or_fake_quant_ctr=PlaceholderObserver.with_args(eps=2**-12),
    )


class VulkanQuantizer(Quantizer):
    """For ``prepare_pt2e`` and ``convert_pt2e``: the weights of linear layers, and what is multiplied with them if that is quantized at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.global_config: QuantizationConfig | None = None
        self.filter_fn: Callable[[Node], bool] | None = None

    def set_global(self, quantization_config: QuantizationConfig) -> VulkanQuantizer:
        """How all linear layers are quantized; returns the quantizer."""
        self.global_config = quantization_config
        return self

    def set_filter_function(self, filter_fn: Callable[[Node], bool]) -> VulkanQuantizer:
        """Which linear layers are quantized: those of which it says True; returns the quantizer."""
        self.filter_fn = filter_fn
        return self

    def annotate(self, model: GraphModule) -> GraphModule:
        """Marks what is quantized.

        Raises:
            ValueError: no config was set.
        """
        if self.global_config is None:
            raise ValueError(
                "VulkanQuantizer has no config. Way out: set_global(get_symmetric_quantization_config())"
            )
        given, weight = self.global_config.input_activation, self.global_config.weight
        for node in model.graph.nodes:
            is_linear = node.op == "call_function" and node.target is _LINEAR
            if is_linear and (self.filter_fn is None or self.filter_fn(node)):
                edges: dict[Node, QuantizationSpec | None] = {node.args[1]: weight}
                if given is not None:
                    edges[node.args[0]] = given
                node.meta[_ANNOTATION] = QuantizationAnnotation(input_qspec_map=edges, _annotated=True)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing that ``annotate`` does not see to."""
