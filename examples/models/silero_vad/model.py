"""Silero's detector of voice activity (https://github.com/snakers4/silero-vad, version 5) at 16,000 samples a second.

The shapes and names of weights are those of the published model, the frequencies too; other weights are random until `load_state_dict` gives
them, from its TorchScript file for one, whose names begin with ``_model.``.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

#: New samples of a call, and samples before them that come with it.
WINDOW_SIZE, CONTEXT_SIZE = 512, 64
HIDDEN_DIM = 128

_FFT, _HOP = 256, 128
_FREQUENCIES = _FFT // 2 + 1
#: Inputs, outputs and stride of the encoder's layers.
_ENCODER = [(_FREQUENCIES, 128, 1), (128, 64, 2), (64, 64, 2), (64, HIDDEN_DIM, 1)]


class Magnitudes(nn.Module):
    """Magnitudes of a short-time Fourier transform under Hann's window: ``[n, samples]`` to ``[n, 129, frames]``."""

    forward_basis_buffer: Tensor

    def __init__(self) -> None:
        super().__init__()
        angles = torch.arange(_FREQUENCIES)[:, None] * torch.arange(_FFT) * (2 * torch.pi / _FFT)
        basis = torch.cat([angles.cos(), -angles.sin()]) * torch.hann_window(_FFT)
        self.register_buffer("forward_basis_buffer", basis.unsqueeze(1))

    def forward(self, samples: Tensor) -> Tensor:
        padded = functional.pad(samples, (0, CONTEXT_SIZE), mode="reflect").unsqueeze(1)
        parts = functional.conv1d(padded, self.forward_basis_buffer, stride=_HOP)
        real, imaginary = parts[:, :_FREQUENCIES], parts[:, _FREQUENCIES:]
        return torch.sqrt(real**2 + imaginary**2)


class Layer(nn.Module):
    """A convolution over time."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.reparam_conv = nn.Conv1d(inputs, outputs, 3, stride, 1)

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.reparam_conv(x))


class Decoder(nn.Module):
    """A step of an LSTM, and the probability that comes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.LSTMCell(HIDDEN_DIM, HIDDEN_DIM)
        self.decoder = nn.Sequential(nn.Dropout(0.1), nn.ReLU(), nn.Conv1d(HIDDEN_DIM, 1, 1), nn.Sigmoid())

    def forward(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        hidden, cell = self.rnn(x.squeeze(-1), (state[0], state[1]))
        speech = self.decoder(hidden.unsqueeze(-1))
        return speech.squeeze(1).mean(dim=1, keepdim=True), torch.stack([hidden, cell])


class SileroVAD16k(nn.Module):
    """Samples and the state of the last call to a probability and the next state.

    ``[1, 576]`` (the last 64 samples of the call before, then 512 new ones) and ``[2, 1, 128]`` (zeros at first) to ``[1, 1]`` and
    ``[2, 1, 128]``.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stft = Magnitudes()
        self.encoder = nn.Sequential(*(Layer(*sizes) for sizes in _ENCODER))
        self.decoder = Decoder()

    def forward(self, samples: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return self.decoder(self.encoder(self.stft(samples)), state)
