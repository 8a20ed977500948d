"""Audio and sequence models, exported and run as the documents show it."""

import torch
from torch import nn
from torch.export import Dim, export

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.runtime import Runtime


class Spectrogram(nn.Module):
    """Log power of short-time Fourier transforms, which bands sum up."""

    def __init__(self, fft: int = 64, hop: int = 32, bands: int = 8):
        super().__init__()
        self.fft, self.hop = fft, hop
        self.register_buffer("window", torch.hann_window(fft))
        self.register_buffer("bands", torch.rand(bands, fft // 2 + 1))

    def forward(self, wave):
        spectrum = torch.stft(wave, self.fft, self.hop, window=self.window, return_complex=True)
        return torch.log(self.bands @ spectrum.abs().square() + 1e-6)


class KeywordSpotter(nn.Module):
    """Convolutions over time, then a recurrent layer whose last state decides."""

    def __init__(self, recurrent: type[nn.Module], bidirectional: bool = False):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(8, 16, 5, stride=2, padding=2),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.Conv1d(16, 8, 3, groups=8),
        )
        self.recurrent = recurrent(8, 12, num_layers=2, batch_first=True, bidirectional=bidirectional)
        self.head = nn.Linear(24 if bidirectional else 12, 4)

    def forward(self, x):
        states, _ = self.recurrent(self.features(x).transpose(1, 2))
        return self.head(states[:, -1]).softmax(-1)


class Streaming(nn.Module):
    """One chunk at a time; the state between chunks goes in and out."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(4, 6, batch_first=True)

    def forward(self, chunk, hidden, cell):
        out, (hidden, cell) = self.cell(chunk, (hidden, cell))
        return out, hidden, cell


def lower(exported, partitioner=None, **config):
    lowered = to_edge_transform_and_lower(
        exported, partitioner=partitioner, compile_config=EdgeCompileConfig(**config)
    )
    return Runtime.get().load_program(lowered.to_executorch().buffer).load_method("forward")


def test_a_spectrogram():
    torch.manual_seed(0)
    model, wave = Spectrogram().eval(), torch.randn(1, 512)
    method = lower(export(model, (wave,)), _check_ir_validity=False)
    torch.testing.assert_close(method.execute([wave])[0], model(wave), rtol=1e-3, atol=1e-3)


def test_keyword_spotters():
    torch.manual_seed(0)
    for recurrent, bidirectional in ((nn.GRU, False), (nn.LSTM, True)):
        model, features = KeywordSpotter(recurrent, bidirectional).eval(), torch.randn(1, 8, 20)
        method = lower(export(model, (features,)), [XnnpackPartitioner()])
        torch.testing.assert_close(method.execute([features])[0], model(features), rtol=1e-3, atol=1e-4)


def test_convolution_over_time_of_any_length():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.GELU(), nn.ConvTranspose1d(4, 2, 4, 2, 1)).eval()
    time = Dim("time", min=2, max=64)
    method = lower(
        export(model, (torch.randn(1, 2, 10),), dynamic_shapes=({2: time},)), [XnnpackPartitioner()]
    )
    for length in (2, 33, 64):
        wave = torch.randn(1, 2, length)
        torch.testing.assert_close(method.execute([wave])[0], model(wave), rtol=1e-3, atol=1e-4)


def test_a_stream_keeps_its_state_outside():
    torch.manual_seed(0)
    model, state = Streaming().eval(), [torch.zeros(1, 1, 6), torch.zeros(1, 1, 6)]
    wave = torch.randn(1, 12, 4)
    method = lower(export(model, (wave[:, :3], *state)))
    pieces = []
    for chunk in wave.split(3, dim=1):
        piece, *state = method.execute([chunk.contiguous(), *state])
        pieces.append(piece)
    whole, (hidden, _) = model.cell(wave)
    torch.testing.assert_close(torch.cat(pieces, 1), whole, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(state[0], hidden, rtol=1e-4, atol=1e-5)
