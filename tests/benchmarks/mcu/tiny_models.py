"""The four models of MLPerf Tiny, in their published shapes and with random weights: what a microcontroller is asked for.

Batch normalisations are part of the convolutions before them, as in the published int8 files. Sizes are those of
MLPerf Tiny 1.0 (https://github.com/mlcommons/tiny): keyword spotting (DS-CNN), visual wake words (MobileNetV1 x0.25 on
96 x 96), image classification (ResNet-8) and anomaly detection (an autoencoder).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional


def _relu(layer: nn.Module) -> nn.Sequential:
    return nn.Sequential(layer, nn.ReLU())


def _separable(inputs: int, outputs: int, stride: int = 1) -> Iterator[nn.Module]:
    """A depthwise 3x3 and a pointwise convolution."""
    yield _relu(nn.Conv2d(inputs, inputs, 3, stride, 1, groups=inputs))
    yield _relu(nn.Conv2d(inputs, outputs, 1))


class KeywordSpotting(nn.Sequential):
    """``[1, 1, 49, 10]``, coefficients of a second of speech, to 12 words."""

    def __init__(self) -> None:
        layers = [layer for _ in range(4) for layer in _separable(64, 64)]
        super().__init__(
            _relu(nn.Conv2d(1, 64, (10, 4), 2, (5, 1))),
            *layers,
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(64, 12),
            nn.Softmax(-1),
        )


class VisualWakeWords(nn.Sequential):
    """``[1, 3, 96, 96]`` to person or none: MobileNetV1, a quarter as wide."""

    #: Outputs of the pointwise convolution and stride of the depthwise one before it.
    BLOCKS = ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *((128, 1),) * 5, (256, 2), (256, 1))

    def __init__(self) -> None:
        layers: list[nn.Module] = [_relu(nn.Conv2d(3, 8, 3, 2, 1))]
        width = 8
        for outputs, stride in self.BLOCKS:
            layers += _separable(width, outputs, stride)
            width = outputs
        super().__init__(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 2), nn.Softmax(-1))


class _Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        stride = 1 if inputs == outputs else 2
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1)
        self.beside = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.second(functional.relu(self.first(x))) + self.beside(x))


class ImageClassification(nn.Sequential):
    """``[1, 3, 32, 32]`` to 10 classes: ResNet-8."""

    def __init__(self) -> None:
        super().__init__(
            _relu(nn.Conv2d(3, 16, 3, 1, 1)),
            _Residual(16, 16),
            _Residual(16, 32),
            _Residual(32, 64),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(64, 10),
            nn.Softmax(-1),
        )


class AnomalyDetection(nn.Sequential):
    """``[1, 640]``, five frames of a spectrogram, to the same again."""

    WIDTHS = (640, 128, 128, 128, 128, 8, 128, 128, 128, 128)

    def __init__(self) -> None:
        pairs = zip(self.WIDTHS, self.WIDTHS[1:], strict=False)
        super().__init__(*(_relu(nn.Linear(*pair)) for pair in pairs), nn.Linear(128, 640))


#: Names of the models, what makes them, and the shape of their input.
MODELS: dict[str, tuple[type[nn.Module], tuple[int, ...]]] = {
    "keyword_spotting": (KeywordSpotting, (1, 1, 49, 10)),
    "visual_wake_words": (VisualWakeWords, (1, 3, 96, 96)),
    "image_classification": (ImageClassification, (1, 3, 32, 32)),
    "anomaly_detection": (AnomalyDetection, (1, 640)),
}


def make(name: str) -> tuple[nn.Module, torch.Tensor]:
    """A model in evaluation mode and an input for it, the same in every process."""
    kind, shape = MODELS[name]
    torch.manual_seed(0)
    return kind().eval(), torch.randn(shape, generator=torch.Generator().manual_seed(1))


def macs(model: nn.Module, example: torch.Tensor) -> int:
    """Multiplications and additions of one inference, in convolutions and linear layers."""
    total = 0

    def count(layer: nn.Module, _inputs: object, output: torch.Tensor) -> None:
        nonlocal total
        weight = layer.get_parameter("weight")
        total += output.numel() * weight[0].numel()

    layers = [layer for layer in model.modules() if isinstance(layer, nn.Conv2d | nn.Linear)]
    hooks = [layer.register_forward_hook(count) for layer in layers]
    with torch.inference_mode():
        model(example)
    for hook in hooks:
        hook.remove()
    return total


__all__ = ["MODELS", "macs", "make"]
