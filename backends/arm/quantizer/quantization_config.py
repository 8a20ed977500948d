"""How values are quantized."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torchao.quantization.pt2e.fake_quantize import FusedMovingAvgObsFakeQuantize
from torchao.quantization.pt2e.observer import (
    HistogramObserver,
    MinMaxObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    PerChannelMinMaxObserver,
)
from torchao.quantization.pt2e.quantizer import QuantizationConfig, QuantizationSpec

#: Smallest scale, so that no factor between scales leaves what RESCALE takes.
_EPS = 2**-16


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


def get_symmetric_a8w4_quantization_config(
    is_per_channel: bool = True, is_qat: bool = True, is_dynamic: bool = False
) -> QuantizationConfig:
    """Activations in int8, weights in the range of four bits, [-7, 7]; they are stored as int8."""
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
