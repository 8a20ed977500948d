"""The four models of MLPerf Tiny with random weights: what a microcontroller is asked for.

Batch normalisations are part of the convolutions before them and scores become probabilities, as in the published int8
files.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from executorch.examples.models.mlperf_tiny.deep_autoencoder import DeepAutoEncoder
from executorch.examples.models.mlperf_tiny.ds_cnn import DSCNNKWS
from executorch.examples.models.mlperf_tiny.mobilenet_v1_025 import MobileNetV1025
from executorch.examples.models.mlperf_tiny.resnet8 import ResNet8

#: Names of the models, what makes them, and the shape of their input.
MODELS: dict[str, tuple[Callable[[bool], nn.Module], tuple[int, ...]]] = {
    "keyword_spotting": (DSCNNKWS, (1, 1, 49, 10)),
    "visual_wake_words": (MobileNetV1025, (1, 3, 96, 96)),
    "image_classification": (ResNet8, (1, 3, 32, 32)),
    "anomaly_detection": (DeepAutoEncoder, (1, 640)),
}


def make(name: str) -> tuple[nn.Module, torch.Tensor]:
    """A model in evaluation mode and an input for it, the same in every process."""
    kind, shape = MODELS[name]
    torch.manual_seed(0)
    model = kind(False)
    if name != "anomaly_detection":
        model = nn.Sequential(model, nn.Softmax(-1))
    return model.eval(), torch.randn(shape, generator=torch.Generator().manual_seed(1))


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
