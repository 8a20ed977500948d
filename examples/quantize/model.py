"""A MobileNetV2 for small images, and its training on the quickstart's digits."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from tqdm import tqdm

from executorch.examples.quickstart.train import Digits, one_thread

#: Digits are scaled from 8 x 8 to this many pixels a side.
PIXELS = 32

#: Widening, outputs, blocks and stride of each stage; outputs are those of width 1.0.
_STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]
_CHANNELS_STEP = 8


def _width(channels: int, factor: float) -> int:
    """A multiple of 8 near ``channels * factor``."""
    return max(_CHANNELS_STEP, round(channels * factor / _CHANNELS_STEP) * _CHANNELS_STEP)


def _convolution(inputs: int, outputs: int, kernel: int, stride: int, groups: int = 1) -> list[nn.Module]:
    return [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU6(),
    ]


class Block(nn.Module):
    """Widen, filter each channel, narrow without an activation; with a residual where shapes allow it."""

    def __init__(self, inputs: int, outputs: int, stride: int, widening: int) -> None:
        super().__init__()
        hidden = inputs * widening
        layers = _convolution(inputs, hidden, 1, 1) if widening > 1 else []
        layers += _convolution(hidden, hidden, 3, stride, groups=hidden)
        layers += _convolution(hidden, outputs, 1, 1)[:2]
        self.layers = nn.Sequential(*layers)
        self.residual = stride == 1 and inputs == outputs

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.residual else self.layers(x)


class MobileNetV2(nn.Module):
    """``[n, 1, size, size]`` to scores ``[n, 10]``; the first convolution keeps the size, as images are small.

    Args:
        width: factor of the numbers of channels.
    """

    def __init__(self, width: float = 0.35) -> None:
        super().__init__()
        channels = _width(32, width)
        layers = _convolution(1, channels, 3, 1)
        for widening, outputs, blocks, stride in _STAGES:
            for number in range(blocks):
                made = _width(outputs, width)
                layers.append(Block(channels, made, stride if number == 0 else 1, widening))
                channels = made
        layers += _convolution(channels, 640, 1, 1)
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(640, 10)

    def forward(self, image: Tensor) -> Tensor:
        return self.classifier(self.features(image).mean([2, 3]))


def enlarged(images: Tensor) -> Tensor:
    """Digits ``[n, 1, 8, 8]`` as ``[n, 1, PIXELS, PIXELS]``."""
    return nn.functional.interpolate(images, size=(PIXELS, PIXELS), mode="bilinear", align_corners=False)


@one_thread()
def train_mobilenet(data: Digits, epochs: int = 6, seed: int = 0, progress: bool = True) -> MobileNetV2:
    """A MobileNetV2 trained on enlarged digits; same seed and machine, same weights. Returned in eval mode."""
    torch.manual_seed(seed)
    model = MobileNetV2()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    shuffle = torch.Generator().manual_seed(seed)
    images = enlarged(data.train_images)
    for _ in tqdm(range(epochs), desc="training MobileNetV2", unit="epoch", disable=not progress):
        order = torch.randperm(len(data.train_labels), generator=shuffle)
        for chosen in order.split(48):
            loss = nn.functional.cross_entropy(model(images[chosen]), data.train_labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
    return model.eval()
