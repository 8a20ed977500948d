"""Image classification."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from executorch.examples.models.mlperf_tiny.layers import TinyModel, normalized, relu


class _Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, batch_norm: bool) -> None:
        super().__init__()
        stride = 1 if inputs == outputs else 2
        self.first = nn.Sequential(*normalized(nn.Conv2d(inputs, outputs, 3, stride, 1), outputs, batch_norm))
        self.second = nn.Sequential(*normalized(nn.Conv2d(outputs, outputs, 3, 1, 1), outputs, batch_norm))
        self.beside = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.second(functional.relu(self.first(x))) + self.beside(x))


class ResNet8(nn.Sequential):
    """``[1, 3, 32, 32]`` to scores of 10 classes; ``batch_norm`` as of DSCNNKWS."""

    def __init__(self, batch_norm: bool = True) -> None:
        super().__init__(
            relu(nn.Conv2d(3, 16, 3, 1, 1), 16, batch_norm),
            _Residual(16, 16, batch_norm),
            _Residual(16, 32, batch_norm),
            _Residual(32, 64, batch_norm),
            nn.AvgPool2d(8),
            nn.Flatten(),
            nn.Linear(64, 10),
        )


class ResNet8Model(TinyModel):
    network, shape = ResNet8, (1, 3, 32, 32)
