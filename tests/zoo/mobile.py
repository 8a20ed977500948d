"""Convolutional classifiers made for small devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.blocks import ConvNormAct, InvertedResidual
from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen, image, of_images


class MobileNetV2(nn.Module):
    """Sandler et al. 2018; rows of ``stages`` are expansion, channels, repeats, stride."""

    def __init__(self, stages: list[tuple[int, int, int, int]], stem: int, head: int, classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [ConvNormAct(3, stem, stride=2, act=nn.ReLU6)]
        channels = stem
        for expansion, outputs, repeats, stride in stages:
            for index in range(repeats):
                step = stride if index == 0 else 1
                layers.append(InvertedResidual(channels, outputs, channels * expansion, stride=step))
                channels = outputs
        layers.append(ConvNormAct(channels, head, 1, act=nn.ReLU6))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(head, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


MOBILENET_V2_STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def mobilenet_v2(full: bool) -> Specimen:
    """Width 1.0 at 224 in full size."""
    if full:
        return of_images(MobileNetV2(MOBILENET_V2_STAGES, 32, 1280, 1000), 224)
    stages = [(1, 8, 1, 1), (6, 12, 2, 2), (6, 16, 2, 2)]
    return of_images(MobileNetV2(stages, 8, 32, 10), 32, ALL_FLOATS)


def mobilenet_v2_dynamic(full: bool) -> Specimen:
    """The batch is dynamic within bounds."""
    specimen = mobilenet_v2(full)
    side = specimen.inputs[0].shape[-1]
    batch = Dim("batch", min=1, max=4)
    return Specimen(
        specimen.module, (image(side, batch=2),), ({0: batch},), ((image(side, batch=4),), (image(side),))
    )


class MobileNetV3(nn.Module):
    """Howard et al. 2019; rows of ``stages`` are kernel, hidden, channels, squeeze-excite, hard swish, stride."""

    def __init__(
        self, stages: list[tuple[int, int, int, bool, bool, int]], stem: int, head: int, classes: int
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = [ConvNormAct(3, stem, stride=2, act=nn.Hardswish)]
        channels = stem
        for kernel, hidden, outputs, excite, swish, stride in stages:
            act = nn.Hardswish if swish else nn.ReLU
            squeezed = max(8, hidden // 4) if excite else 0
            layers.append(
                InvertedResidual(channels, outputs, hidden, kernel, stride, act, squeezed, nn.Hardsigmoid)
            )
            channels = outputs
        last = channels * 6
        layers.append(ConvNormAct(channels, last, 1, act=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Linear(last, head), nn.Hardswish(), nn.Linear(head, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


MOBILENET_V3_SMALL_STAGES = [
    (3, 16, 16, True, False, 2),
    (3, 72, 24, False, False, 2),
    (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2),
    (5, 240, 40, True, True, 1),
    (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1),
    (5, 144, 48, True, True, 1),
    (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1),
    (5, 576, 96, True, True, 1),
]


def mobilenet_v3(full: bool) -> Specimen:
    """MobileNetV3-Small at 224 in full size."""
    if full:
        return of_images(MobileNetV3(MOBILENET_V3_SMALL_STAGES, 16, 1024, 1000), 224)
    stages = [(3, 8, 8, True, False, 2), (3, 24, 12, False, False, 1), (5, 32, 12, True, True, 1)]
    return of_images(MobileNetV3(stages, 8, 32, 10), 32)


class EfficientNet(nn.Module):
    """Tan and Le 2019; rows of ``stages`` are expansion, channels, repeats, stride, kernel."""

    def __init__(
        self, stages: list[tuple[int, int, int, int, int]], stem: int, head: int, classes: int
    ) -> None:
        super().__init__()
        layers: list[nn.Module] = [ConvNormAct(3, stem, stride=2, act=nn.SiLU)]
        channels = stem
        for expansion, outputs, repeats, stride, kernel in stages:
            for index in range(repeats):
                layers.append(
                    InvertedResidual(
                        channels,
                        outputs,
                        channels * expansion,
                        kernel,
                        stride if index == 0 else 1,
                        nn.SiLU,
                        squeezed=max(1, channels // 4),
                    )
                )
                channels = outputs
        layers.append(ConvNormAct(channels, head, 1, act=nn.SiLU))
        self.features, self.classifier = nn.Sequential(*layers), nn.Linear(head, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(x).mean((2, 3)))


EFFICIENTNET_B0_STAGES = [
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
]


def efficientnet(full: bool) -> Specimen:
    """EfficientNet-B0 at 224 in full size."""
    if full:
        return of_images(EfficientNet(EFFICIENTNET_B0_STAGES, 32, 1280, 1000), 224)
    return of_images(EfficientNet([(1, 8, 1, 1, 3), (6, 12, 2, 2, 5)], 8, 32, 10), 32)


class ShuffleUnit(nn.Module):
    """Half of the channels pass, the other half is convolved, then channels are shuffled."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.layers = nn.Sequential(
            ConvNormAct(half, half, 1),
            ConvNormAct(half, half, groups=half, act=nn.Identity),
            ConvNormAct(half, half, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        passed, worked = x.chunk(2, 1)
        x = torch.cat([passed, self.layers(worked)], 1)
        batch, channels, height, width = x.shape
        x = x.view(batch, 2, channels // 2, height, width).transpose(1, 2)
        return x.reshape(batch, channels, height, width)


class ShuffleNet(nn.Module):
    """After ShuffleNetV2 (Ma et al. 2018)."""

    def __init__(self, depths: list[int], widths: list[int], classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [ConvNormAct(3, widths[0], stride=2)]
        for stage, depth in enumerate(depths):
            layers.append(ConvNormAct(widths[stage], widths[stage + 1], stride=2))
            layers += [ShuffleUnit(widths[stage + 1]) for _ in range(depth)]
        self.features, self.head = nn.Sequential(*layers), nn.Linear(widths[-1], classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.features(x).mean((2, 3)))


def shufflenet(full: bool) -> Specimen:
    """About ShuffleNetV2 1.0 at 224 in full size."""
    if full:
        return of_images(ShuffleNet([4, 8, 4], [24, 116, 232, 464], 1000), 224)
    return of_images(ShuffleNet([2, 1], [8, 16, 24], 10), 32)


class Fire(nn.Module):
    """Squeeze to few channels, expand with 1x1 and 3x3 beside each other."""

    def __init__(self, inputs: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(inputs, squeezed, 1)
        self.one, self.three = nn.Conv2d(squeezed, expanded, 1), nn.Conv2d(squeezed, expanded, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.squeeze(x))
        return torch.cat([F.relu(self.one(x)), F.relu(self.three(x))], 1)


def squeezenet(full: bool) -> Specimen:
    """After SqueezeNet 1.1 (Iandola et al. 2016): ceil-mode pooling, no batch norm."""
    base, classes, side = (64, 1000, 224) if full else (8, 10, 33)
    module = nn.Sequential(
        nn.Conv2d(3, base, 3, 2),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(base, base // 4, base),
        Fire(2 * base, base // 4, base),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        Fire(2 * base, base // 2, 2 * base),
        nn.Dropout(0.5),
        nn.Conv2d(4 * base, classes, 1),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
    )
    return of_images(module, side)


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (
        mobilenet_v2,
        mobilenet_v2_dynamic,
        mobilenet_v3,
        efficientnet,
        shufflenet,
        squeezenet,
    )
}
