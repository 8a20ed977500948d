"""Convolutional classifiers: residual, dense and branching networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.blocks import ConvNormAct
from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen, calibrated, image, of_images


class BasicBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            ConvNormAct(inputs, outputs, stride=stride), ConvNormAct(outputs, outputs, act=nn.Identity)
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else ConvNormAct(inputs, outputs, 1, stride, act=nn.Identity)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.layers(x) + self.shortcut(x))


class Bottleneck(nn.Module):
    """1x1, (grouped) 3x3, 1x1 and a shortcut; the output has four times the width."""

    def __init__(self, inputs: int, width: int, stride: int, groups: int = 1) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            ConvNormAct(inputs, width, 1),
            ConvNormAct(width, width, stride=stride, groups=groups),
            ConvNormAct(width, 4 * width, 1, act=nn.Identity),
        )
        same = stride == 1 and inputs == 4 * width
        self.shortcut = nn.Identity() if same else ConvNormAct(inputs, 4 * width, 1, stride, act=nn.Identity)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.layers(x) + self.shortcut(x))


class ResNet(nn.Module):
    """He et al. 2015.

    Args:
        blocks: blocks per stage.
        width: channels of the stem and of the first stage.
        bottleneck: bottleneck blocks instead of basic ones.
        groups: of the 3x3 convolutions in bottlenecks (ResNeXt).
        classes: outputs.
    """

    def __init__(self, blocks: list[int], width: int, bottleneck: bool, groups: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(ConvNormAct(3, width, 7, 2), nn.MaxPool2d(3, 2, 1))
        layers: list[nn.Module] = []
        channels = width
        for stage, count in enumerate(blocks):
            outputs = width << stage
            for index in range(count):
                stride = 2 if stage and index == 0 else 1
                if bottleneck:
                    layers.append(Bottleneck(channels, outputs, stride, groups))
                    channels = 4 * outputs
                else:
                    layers.append(BasicBlock(channels, outputs, stride))
                    channels = outputs
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(channels, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(F.adaptive_avg_pool2d(self.layers(self.stem(x)), 1).flatten(1))


def resnet18(full: bool) -> Specimen:
    """ResNet18 at 224 in full size."""
    if full:
        return of_images(ResNet([2, 2, 2, 2], 64, False, 1, 1000), 224)
    return of_images(ResNet([1, 1, 1], 8, False, 1, 10), 32, ALL_FLOATS)


def resnet50(full: bool) -> Specimen:
    """ResNet50 at 224 in full size."""
    if full:
        return of_images(ResNet([3, 4, 6, 3], 64, True, 1, 1000), 224)
    return of_images(ResNet([1, 1], 8, True, 1, 10), 32)


def resnext(full: bool) -> Specimen:
    """Grouped bottlenecks; height and width of the image are two symbols."""
    module = ResNet([3, 4, 6, 3], 64, True, 32, 1000) if full else ResNet([1, 1], 8, True, 4, 10)
    side = 224 if full else 40
    shapes = ({2: Dim("height", min=32, max=256), 3: Dim("width", min=32, max=256)},)
    others = ((torch.randn(1, 3, side + 7, side - 8),), (torch.randn(1, 3, 32, 33),))
    return Specimen(calibrated(module, image(side, batch=2)), (image(side),), shapes, others)


class ConvNextBlock(nn.Module):
    """Depthwise 7x7, layer norm over channels, two pointwise layers, learned scale."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 7, padding=3, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.up, self.down = nn.Linear(channels, 4 * channels), nn.Linear(4 * channels, channels)
        self.scale = nn.Parameter(torch.full((channels,), 0.5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        y = self.scale * self.down(F.gelu(self.up(y)))
        return x + y.permute(0, 3, 1, 2)


class LayerNorm2d(nn.LayerNorm):
    """Layer norm over the channels of an image."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        x = input.permute(0, 2, 3, 1)
        return F.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps).permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    """Liu et al. 2022."""

    def __init__(self, depths: list[int], widths: list[int], classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, widths[0], 4, 4), LayerNorm2d(widths[0])]
        for stage, (depth, width) in enumerate(zip(depths, widths, strict=True)):
            if stage:
                layers += [LayerNorm2d(widths[stage - 1]), nn.Conv2d(widths[stage - 1], width, 2, 2)]
            layers += [ConvNextBlock(width) for _ in range(depth)]
        self.features = nn.Sequential(*layers)
        self.norm, self.head = nn.LayerNorm(widths[-1]), nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(self.features(x).mean((-2, -1))))


def convnext(full: bool) -> Specimen:
    """ConvNeXt-T at 224 in full size."""
    if full:
        return of_images(ConvNext([3, 3, 9, 3], [96, 192, 384, 768], 1000), 224)
    return of_images(ConvNext([1, 1], [12, 16], 10), 32)


class DenseNet(nn.Module):
    """Huang et al. 2017: every layer sees the outputs of all before it."""

    def __init__(self, blocks: list[int], growth: int, stem: int, classes: int) -> None:
        super().__init__()
        self.stem = nn.Sequential(ConvNormAct(3, stem, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.blocks, self.transitions = nn.ModuleList(), nn.ModuleList()
        channels = stem
        for stage, count in enumerate(blocks):
            self.blocks.append(
                nn.ModuleList(self._layer(channels + i * growth, growth) for i in range(count))
            )
            channels += count * growth
            last = stage == len(blocks) - 1
            outputs = channels if last else channels // 2
            self.transitions.append(
                nn.Identity()
                if last
                else nn.Sequential(
                    ConvNormAct(channels, outputs, 1), nn.AvgPool2d(2, 2, count_include_pad=False)
                )
            )
            channels = outputs
        self.head = nn.Linear(channels, classes)

    @staticmethod
    def _layer(inputs: int, growth: int) -> nn.Module:
        return nn.Sequential(
            nn.BatchNorm2d(inputs),
            nn.ReLU(),
            ConvNormAct(inputs, 4 * growth, 1),
            nn.Conv2d(4 * growth, growth, 3, padding=1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        for block, transition in zip(self.blocks, self.transitions, strict=True):
            for layer in block:  # type: ignore[attr-defined]
                x = torch.cat([x, layer(x)], 1)
            x = transition(x)
        return self.head(F.relu(x).mean((2, 3)))


def densenet(full: bool) -> Specimen:
    """DenseNet121 at 224 in full size."""
    if full:
        return of_images(DenseNet([6, 12, 24, 16], 32, 64, 1000), 224)
    return of_images(DenseNet([2, 2], 4, 8, 10), 32)


class InceptionBlock(nn.Module):
    """Four branches beside each other (Szegedy et al. 2015), with asymmetric kernels."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.one = ConvNormAct(inputs, width, 1)
        self.asymmetric = nn.Sequential(
            nn.Conv2d(inputs, width, (1, 5), padding=(0, 2)), nn.Conv2d(width, width, (5, 1), padding=(2, 0))
        )
        self.twice = nn.Sequential(ConvNormAct(inputs, width), ConvNormAct(width, width))
        self.pooled = nn.Sequential(nn.AvgPool2d(3, 1, 1), ConvNormAct(inputs, width, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cat([self.one(x), self.asymmetric(x), self.twice(x), self.pooled(x)], 1)


def inception(full: bool) -> Specimen:
    """Three inception blocks."""
    width, side, classes = (64, 224, 1000) if full else (4, 24, 10)
    module = nn.Sequential(
        ConvNormAct(3, width, stride=2),
        InceptionBlock(width, width),
        nn.MaxPool2d(3, 2),
        InceptionBlock(4 * width, width),
        nn.MaxPool2d(3, 2),
        InceptionBlock(4 * width, width),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(4 * width, classes),
        nn.LogSoftmax(-1),
    )
    return of_images(module, side)


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (
        resnet18,
        resnet50,
        resnext,
        convnext,
        densenet,
        inception,
    )
}
