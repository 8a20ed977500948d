"""What the models of MLPerf Tiny are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import torch
from torch import nn

from executorch.examples.models.model_base import EagerModelBase


def normalized(layer: nn.Module, width: int, batch_norm: bool) -> list[nn.Module]:
    """A layer of that many outputs, and what normalizes them unless it is part of the layer."""
    if not batch_norm:
        return [layer]
    return [layer, nn.BatchNorm1d(width) if isinstance(layer, nn.Linear) else nn.BatchNorm2d(width)]


def relu(layer: nn.Module, width: int, batch_norm: bool) -> nn.Sequential:
    """A layer of that many outputs, normalized if asked for, of which the positive part goes on."""
    return nn.Sequential(*normalized(layer, width, batch_norm), nn.ReLU())


def separable(inputs: int, outputs: int, batch_norm: bool, stride: int = 1) -> Iterator[nn.Module]:
    """A depthwise 3x3 and a pointwise convolution."""
    yield relu(nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs), inputs, batch_norm)
    yield relu(nn.Conv2d(inputs, outputs, 1), outputs, batch_norm)


class TinyModel(EagerModelBase):
    """A model of the registry, with random weights, and an input of its shape."""

    network: ClassVar[type[nn.Module]]
    shape: ClassVar[tuple[int, ...]]

    def get_eager_model(self) -> nn.Module:
        return self.network().eval()

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(self.shape),)
