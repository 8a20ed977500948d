"""Speech to letters by convolutions alone."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from executorch.examples.models.model_base import EagerModelBase


class Wav2Letter(nn.Module):
    """``[batch, 1, samples]`` to log probabilities ``[batch, num_classes, frames]``, with random weights.

    The network for waveforms of Collobert et al., 2016 (https://arxiv.org/abs/1609.03193), in the sizes that torchaudio has.
    """

    #: Outputs, width, stride and padding of the convolutions before the last one.
    LAYERS = (
        (250, 250, 160, 45),
        (250, 48, 2, 23),
        *((250, 7, 1, 3),) * 7,
        (2000, 32, 1, 16),
        (2000, 1, 1, 0),
    )

    def __init__(self, num_classes: int = 40) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        inputs = 1
        for outputs, width, stride, padding in self.LAYERS:
            layers += [nn.Conv1d(inputs, outputs, width, stride, padding), nn.ReLU()]
            inputs = outputs
        self.acoustic_model = nn.Sequential(*layers, nn.Conv1d(inputs, num_classes, 1), nn.ReLU())

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        return functional.log_softmax(self.acoustic_model(waveform), dim=1)


class Wav2LetterModel(EagerModelBase):
    """Of 4,096 classes, on ten waveforms of 700 samples."""

    batch_size, input_frames, vocab_size = 10, 700, 4096

    def get_eager_model(self) -> nn.Module:
        return Wav2Letter(num_classes=self.vocab_size).eval()

    def get_example_inputs(self) -> tuple[Any, ...]:
        return (torch.randn(self.batch_size, 1, self.input_frames),)
