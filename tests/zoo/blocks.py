"""Building blocks that several convolutional architectures share."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn
from torch.nn import functional as F

Activation = Callable[[], nn.Module]


class ConvNormAct(nn.Sequential):
    """Convolution without bias, batch norm, activation; padded so that stride 1 keeps the size."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int = 3,
        stride: int = 1,
        groups: int = 1,
        act: Activation = nn.ReLU,
        dilation: int = 1,
    ) -> None:
        padding = (kernel - 1) // 2 * dilation
        super().__init__(
            nn.Conv2d(inputs, outputs, kernel, stride, padding, dilation, groups, bias=False),
            nn.BatchNorm2d(outputs),
            act(),
        )


class SqueezeExcite(nn.Module):
    """Channel attention (Hu et al. 2018)."""

    def __init__(self, channels: int, squeezed: int, act: Activation, gate: Activation) -> None:
        super().__init__()
        self.reduce, self.expand = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)
        self.act, self.gate = act(), gate()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = F.adaptive_avg_pool2d(x, 1)
        return x * self.gate(self.expand(self.act(self.reduce(scale))))


class InvertedResidual(nn.Module):
    """Expand, depthwise, (squeeze-excite,) project; residual where shapes agree."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        hidden: int,
        kernel: int = 3,
        stride: int = 1,
        act: Activation = nn.ReLU6,
        squeezed: int = 0,
        gate: Activation = nn.Sigmoid,
    ) -> None:
        super().__init__()
        self.residual = stride == 1 and inputs == outputs
        layers: list[nn.Module] = [] if hidden == inputs else [ConvNormAct(inputs, hidden, 1, act=act)]
        layers.append(ConvNormAct(hidden, hidden, kernel, stride, groups=hidden, act=act))
        if squeezed:
            layers.append(SqueezeExcite(hidden, squeezed, nn.ReLU if gate is nn.Hardsigmoid else act, gate))
        layers.append(ConvNormAct(hidden, outputs, 1, act=nn.Identity))
        self.layers = nn.Sequential(*layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)
