"""How values are quantized."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import torch
from torch.fx import Node
from torchao.quantization.pt2e.fake_quantize import FusedMovingAvgObsFakeQuantize
from torchao.quantization.pt2e.observer import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import DerivedQuantizationSpec, QuantizationSpec
from torchao.quantization.pt2e.quantizer import QuantizationConfig as _Plain

#: Smallest scale, so that no factor between scales leaves what RESCALE takes.
_EPS = 2**-16


@dataclasses.dataclass(frozen=True, eq=True)
class QuantizationConfig(_Plain):
    """torchao's, asked for each call: a subclass, or anything with these four methods, may answer by the node.

    The quantizer asks with the call, and with the operand where it means one. None leaves a value in floating point.
    """

    def get_input_act_qspec(self, node: Node | None = None, input_node: Node | None = None) -> Any:
        """Of an operand that is calculated or given."""
        return self.input_activation

    def get_output_act_qspec(self, node: Node | None = None) -> Any:
        """Of what a call makes."""
        return self.output_activation

    def get_weight_qspec(self, node: Node | None = None) -> Any:
        """Of the weight; scales by output of a transposed convolution lie along its second dimension."""
        spec = self.weight
        if node is None or not has_scales_by_output(spec) or "transpose" not in str(node.target):
            return spec
        return dataclasses.replace(spec, ch_axis=1)

    def get_bias_qspec(self, node: Node | None = None) -> Any:
        """Of the bias, if none is named: 32 bits in the scale of the sums, where these have 32 bits."""
        if self.bias is not None or node is None:
            return self.bias(node) if callable(self.bias) else self.bias
        data: Any
        data, weight = node.args[:2]
        spec, activation = self.get_weight_qspec(node), self.get_input_act_qspec(node, data)
        if not isinstance(spec, QuantizationSpec) or getattr(activation, "dtype", None) is not torch.int8:
            return None
        return _of_sums(node, data, weight, spec)


class TOSAQuantizationConfig(QuantizationConfig):
    """The same, under the name that released versions have for TOSA's rules."""


def as_config(config: Any) -> Any:
    """What answers for each call, of torchao's plain config too."""
    if config is None or hasattr(config, "get_input_act_qspec"):
        return config
    return QuantizationConfig(
        config.input_activation, config.output_activation, config.weight, config.bias, config.is_qat
    )


def has_scales_by_output(spec: Any) -> bool:
    """Whether a weight's spec has a scale for each output."""
    return isinstance(spec, QuantizationSpec) and spec.qscheme is torch.per_channel_symmetric


def _of_sums(node: Node, data: Any, weight: Any, spec: QuantizationSpec) -> DerivedQuantizationSpec:
    """Integers of 32 bits in the scale of the sums: that of the input times that of the weight."""

    def parameters(observers: list[Any]) -> tuple[torch.Tensor, torch.Tensor]:
        (first, _), (second, _) = (one.calculate_qparams() for one in observers)
        scale = first * second
        return scale, torch.zeros_like(scale, dtype=torch.int32)

    channels = has_scales_by_output(spec)
    return DerivedQuantizationSpec(
        derived_from=[(data, node), (weight, node)],
        derive_qparams_fn=parameters,
        dtype=torch.int32,
        quant_min=-(2**31) + 1,
        quant_max=2**31 - 1,
        qscheme=torch.per_channel_symmetric if channels else torch.per_tensor_symmetric,
        ch_axis=0 if channels else None,
    )


@functools.lru_cache
def get_symmetric_quantization_config(
    is_per_channel: bool = True,
    is_qat: bool = False,
    is_dynamic: bool = False,
    act_qmin: int = -128,
    act_qmax: int = 127,
    weight_qmin: int = -127,
    weight_qmax: int = 127,
    eps: float = _EPS,
) -> QuantizationConfig:
    """Int8: activations asymmetric with one scale, weights symmetric with one for each output or for all.

    Args:
        is_per_channel: a scale for each output of a weight.
        is_qat: for training with fake quantization, for calibration otherwise.
        is_dynamic: must be False: TOSA has no scales that are found at run time.
        act_qmin, act_qmax: range of the integers of activations.
        weight_qmin, weight_qmax: of weights.
        eps: the smallest scale.

    Raises:
        ValueError: ``is_dynamic`` is set.
    """
    activation = _activation(torch.int8, act_qmin, act_qmax, torch.per_tensor_affine, is_qat, is_dynamic, eps)
    weight = _weight(is_per_channel, is_qat, weight_qmin, weight_qmax, eps)
    return QuantizationConfig(activation, activation, weight, None, is_qat)


def get_vgf_snorm_quantization_config(
    is_per_channel: bool = True, is_qat: bool = False, is_dynamic: bool = False
) -> QuantizationConfig:
    """Int8 without -128, for activations that shaders read as signed normalized images, where -128 and -127 are one number."""
    return get_symmetric_quantization_config(is_per_channel, is_qat, is_dynamic, act_qmin=-127)


def get_symmetric_a8w4_quantization_config(
    is_per_channel: bool = True, is_qat: bool = True, is_dynamic: bool = False
) -> QuantizationConfig:
    """Activations in int8, weights in the range of four bits, [-7, 7]; files have them in four bits with the extension int4."""
    return get_symmetric_quantization_config(
        is_per_channel, is_qat, is_dynamic, weight_qmin=-7, weight_qmax=7
    )


@functools.lru_cache
def get_symmetric_a16w8_quantization_config(
    is_per_channel: bool = True,
    is_qat: bool = False,
    is_dynamic: bool = False,
    weight_qmin: int = -127,
    weight_qmax: int = 127,
    epsilon: float = 2**-12,
) -> QuantizationConfig:
    """Activations in int16, symmetric, weights as in int8; needs the extension int16. ``epsilon`` is the smallest scale."""
    activation = _activation(
        torch.int16, -32767, 32767, torch.per_tensor_symmetric, is_qat, is_dynamic, epsilon
    )
    weight = _weight(is_per_channel, is_qat, weight_qmin, weight_qmax, epsilon)
    return QuantizationConfig(activation, activation, weight, None, is_qat)


@functools.lru_cache
def get_uint8_io_quantization_config(
    is_qat: bool = False, is_dynamic: bool = False, eps: float = _EPS
) -> QuantizationConfig:
    """For ``set_io``: inputs and outputs of the model as integers from 0 to 255. What is between them has a config of its own."""
    activation = _activation(torch.uint8, 0, 255, torch.per_tensor_affine, is_qat, is_dynamic, eps)
    return QuantizationConfig(activation, activation, None, None, is_qat)


def _activation(
    dtype: torch.dtype,
    low: int,
    high: int,
    scheme: torch.qscheme,
    is_qat: bool,
    is_dynamic: bool,
    eps: float,
) -> QuantizationSpec:
    if is_dynamic:
        raise ValueError("TOSA has no scales that are found at run time; leave is_dynamic out and calibrate")
    made: Any = HistogramObserver.with_args(eps=eps)
    if dtype is torch.int16:
        made = MinMaxObserver.with_args(eps=eps)
    if is_qat:
        made = FusedMovingAvgObsFakeQuantize.with_args(eps=eps, observer=MovingAverageMinMaxObserver)
    return QuantizationSpec(
        dtype=dtype, quant_min=low, quant_max=high, qscheme=scheme, observer_or_fake_quant_ctr=made
    )


def _weight(is_per_channel: bool, is_qat: bool, low: int, high: int, eps: float) -> QuantizationSpec:
    made: Any = (PerChannelMinMaxObserver if is_per_channel else MinMaxObserver).with_args(eps=eps)
    if is_qat:
        observer = MovingAveragePerChannelMinMaxObserver if is_per_channel else MovingAverageMinMaxObserver
        made = FusedMovingAvgObsFakeQuantize.with_args(eps=eps, observer=observer)
    return QuantizationSpec(
        dtype=torch.int8,
        quant_min=low,
        quant_max=high,
        qscheme=torch.per_channel_symmetric if is_per_channel else torch.per_tensor_symmetric,
        ch_axis=0,
        observer_or_fake_quant_ctr=made,
    )
