"""MobileNetV2 of PyTorch alone, with random weights: for examples and tests that want its layers at a size of their own.

The registry's `mv2` is torchvision's.
"""

from __future__ import annotations

from torch import Tensor, nn

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
_HEAD = 1280


def _scaled(channels: int, width: float) -> int:
    """A multiple of 8 near ``channels * width``."""
    return max(8, round(channels * width / 8) * 8)


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
    """``[n, channels, size, size]`` to scores ``[n, classes]``; all 17 blocks.

    Args:
        width: factor of the numbers of channels.
        classes: outputs.
        channels: inputs.
        stride: of the first convolution; 1 for small images.
        head: outputs of the last convolution; by default 1,280, less where ``width`` is below 1.
        dropout: before the classifier, in training.
    """

    def __init__(
        self,
        width: float = 1.0,
        classes: int = 1000,
        channels: int = 3,
        stride: int = 2,
        head: int | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        inputs = _scaled(32, width)
        layers = _convolution(channels, inputs, 3, stride)
        for widening, full, blocks, step in _STAGES:
            for number in range(blocks):
                outputs = _scaled(full, width)
                layers.append(Block(inputs, outputs, step if number == 0 else 1, widening))
                inputs = outputs
        last = head or (max(_HEAD, _scaled(_HEAD, width)) if width >= 1 else _scaled(_HEAD, width))
        layers += _convolution(inputs, last, 1, 1)
        self.features = nn.Sequential(*layers)
        scores = nn.Linear(last, classes)
        self.classifier = nn.Sequential(nn.Dropout(dropout), scores) if dropout else scores

    def forward(self, image: Tensor) -> Tensor:
        return self.classifier(self.features(image).mean([2, 3]))
