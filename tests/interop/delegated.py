"""Specimens for XNNPACK, in each form of number that it calculates with; each is one delegate.

Quantized ones say themselves where numbers are converted, so that two compilers get the same model to compile.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from executorch.tests.interop.specimen import Specimen, specimen_of

#: Of the quantized values below: results of two kernels may be rounded to neighbours.
_STEP = 0.02


def _ops() -> Any:
    importlib.import_module("torch.ao.quantization.fx._decomposed")  # registers the operators
    return torch.ops.quantized_decomposed


def _through_int8(x: torch.Tensor, zero_point: int = 3) -> torch.Tensor:
    """The values that `x` has in int8."""
    x = _ops().quantize_per_tensor(x, _STEP, zero_point, -128, 127, torch.int8)
    return _ops().dequantize_per_tensor(x, _STEP, zero_point, -128, 127, torch.int8)


class _Weight(nn.Module):
    """A weight in int8, scaled by output, and a bias."""

    weight: torch.Tensor
    scales: torch.Tensor
    zeros: torch.Tensor
    bias: torch.Tensor

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, shape, dtype=torch.int8))
        self.register_buffer("scales", torch.rand(shape[0]) * 0.002 + 0.001)
        self.register_buffer("zeros", torch.zeros(shape[0], dtype=torch.int64))
        self.register_buffer("bias", torch.randn(shape[0]) * 0.1)

    def forward(self) -> torch.Tensor:
        weight: torch.Tensor = _ops().dequantize_per_channel(
            self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        return weight


class _StaticInt8(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = _Weight(8, 3, 3, 3), _Weight(8, 8, 1, 1), _Weight(5, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = _through_int8(F.relu(F.conv2d(_through_int8(x), self.first(), self.first.bias, padding=1)))
        x = _through_int8(x + _through_int8(F.conv2d(x, self.second(), self.second.bias)))
        x = _through_int8(F.max_pool2d(x, 2))
        x = _through_int8(_through_int8(x.mean([2, 3], keepdim=True)).view(-1, 8))
        return _through_int8(F.linear(x, self.last(), self.last.bias))


class _DynamicInt8(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = _Weight(24, 16), _Weight(8, 24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer, activation in ((self.first, F.relu), (self.second, torch.tanh)):
            scale, zero = _ops().choose_qparams.tensor(x, -128, 127, 1e-7, torch.int8)
            x = _ops().quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
            x = _ops().dequantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
            x = activation(F.linear(x, layer(), layer.bias))
        return x


def xnnpack_float() -> Specimen:
    layers = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU6(),
        nn.Conv2d(8, 8, 3, groups=8),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 5),
        nn.Softmax(-1),
    )
    return specimen_of(layers, *[(torch.randn(1, 3, 8, 8),) for _ in range(2)], is_delegated=True)


def xnnpack_half() -> Specimen:
    layers = nn.Sequential(nn.Linear(16, 24), nn.ReLU(), nn.Linear(24, 8), nn.Sigmoid()).half()
    inputs = [(torch.randn(3, 16).half(),) for _ in range(2)]
    return specimen_of(layers, *inputs, is_delegated=True, rtol=5e-3, atol=2e-3)


def xnnpack_static_int8() -> Specimen:
    inputs = [(torch.randn(1, 3, 8, 8),) for _ in range(2)]
    return specimen_of(_StaticInt8(), *inputs, is_delegated=True, atol=1.01 * _STEP)


def xnnpack_dynamic_int8() -> Specimen:
    inputs = [(torch.randn(3, 16),) for _ in range(2)]
    return specimen_of(_DynamicInt8(), *inputs, is_delegated=True, rtol=1e-2, atol=1e-2)


def xnnpack_8da4w() -> Specimen:
    """torchao's inputs of eight bits, quantized at run time, with weights of four, scaled by 32 inputs."""
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, PerGroup, quantize_

    layers = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16))
    int4 = torch.int4  # type: ignore[attr-defined]
    quantize_(
        layers, Int8DynamicActivationIntxWeightConfig(weight_dtype=int4, weight_granularity=PerGroup(32))
    )
    inputs = [(torch.randn(3, 64),) for _ in range(2)]
    return specimen_of(layers, *inputs, is_delegated=True, rtol=2e-2, atol=2e-2)


SPECIMENS: tuple[Callable[[], Specimen], ...] = (
    xnnpack_float,
    xnnpack_half,
    xnnpack_static_int8,
    xnnpack_dynamic_int8,
    xnnpack_8da4w,
)
