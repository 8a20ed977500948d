"""Models of the kinds that this backend is for, small: random weights, published shapes of layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from executorch.examples.models.plain_mobilenet_v2 import MobileNetV2


def _conv(
    inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: Any = nn.ReLU
) -> nn.Module:
    layers: list[nn.Module] = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class _Basic(nn.Module):
    """ResNet's block of two convolutions."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(_conv(inputs, outputs, 3, stride), _conv(outputs, outputs, act=None))
        changes = stride != 1 or inputs != outputs
        self.shortcut = _conv(inputs, outputs, 1, stride, act=None) if changes else nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.layers(x) + self.shortcut(x))


class ResNet18(nn.Module):
    """All eight blocks; ``channels`` is the width of the first stage."""

    def __init__(self, channels: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, channels, 7, 2), nn.MaxPool2d(3, 2, 1))
        blocks, inputs = [], channels
        for i in range(4):
            outputs = channels << i
            blocks += [_Basic(inputs, outputs, 1 if i == 0 else 2), _Basic(outputs, outputs, 1)]
            inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.blocks(self.stem(x)))


def keyword_net() -> nn.Module:
    """DS-CNN on 49 x 10 features, 12 words."""
    pairs = [layer for _ in range(4) for layer in (_conv(64, 64, 3, groups=64), _conv(64, 64, 1))]
    first = nn.Sequential(nn.Conv2d(1, 64, (10, 4), 2, (5, 1), bias=False), nn.BatchNorm2d(64), nn.ReLU())
    return nn.Sequential(first, *pairs, nn.AvgPool2d((25, 5)), nn.Flatten(), nn.Linear(64, 12))


class Encoder(nn.Module):
    """A transformer's encoder layer."""

    def __init__(self, width: int = 32, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, length, width = x.shape
        parts = (
            self.qkv(self.first(x)).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        )
        q, k, v = parts[0], parts[1], parts[2]
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(width // self.heads), -1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(n, length, width))
        return x + self.narrow(F.gelu(self.wide(self.second(x))))


class DeepLab(nn.Module):
    """A decoder with dilated branches and bilinear resizing."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 8, stride=2), _conv(8, 16, stride=2))
        self.branches = nn.ModuleList(nn.Conv2d(16, 8, 3, padding=d, dilation=d) for d in (1, 2, 3))
        self.pooled = nn.Conv2d(16, 8, 1)
        self.head = nn.Conv2d(32, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.stem(x)
        pooled = F.interpolate(self.pooled(F.adaptive_avg_pool2d(y, 1)), size=y.shape[-2:], mode="bilinear")
        made = self.head(torch.cat([*(F.relu(one(y)) for one in self.branches), pooled], 1))
        return F.interpolate(made, size=x.shape[-2:], mode="bilinear")


class UNet(nn.Module):
    """Two steps down and up."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([_conv(3, 8), _conv(8, 16), _conv(16, 32)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)])
        self.join = nn.ModuleList([_conv(32, 16), _conv(16, 8)])
        self.head = nn.Conv2d(8, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        b = self.join[0](torch.cat([self.up[0](c), b], 1))
        return self.head(self.join[1](torch.cat([self.up[1](b), a], 1)))


Make = Callable[[], tuple[nn.Module, tuple[int, ...]]]
#: Small sizes; the second is the shape of the input.
SMALL: dict[str, Make] = {
    "mobilenet_v2": lambda: (MobileNetV2(0.25, 10, dropout=0.2), (1, 3, 64, 64)),
    "resnet18": lambda: (ResNet18(8, 10), (1, 3, 64, 64)),
    "keyword_net": lambda: (keyword_net(), (1, 1, 49, 10)),
    "encoder": lambda: (Encoder(), (1, 16, 32)),
    "deeplab": lambda: (DeepLab(), (1, 3, 32, 32)),
    "unet": lambda: (UNet(), (1, 3, 16, 16)),
}
#: The published sizes.
FULL: dict[str, Make] = {
    "mobilenet_v2": lambda: (MobileNetV2(dropout=0.2), (1, 3, 224, 224)),
    "resnet18": lambda: (ResNet18(), (1, 3, 224, 224)),
}


def trained(make: Make, seed: int = 0) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """The model with norms that have seen data, and an input."""
    torch.manual_seed(seed)
    model, shape = make()
    with torch.no_grad():
        for _ in range(3):
            model.train()(torch.randn(4, *shape[1:]))
    return model.eval(), (torch.randn(*shape),)
