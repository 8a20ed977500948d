"""Speech and sound: recognition, streaming, keyword spotting, waveforms.

Those named after a class of `transformers` are this class with a configuration of our own and random weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import transformers
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.blocks import ConvNormAct
from executorch.tests.zoo.language import FirstOutput, tokens
from executorch.tests.zoo.specimen import Specimen, calibrated


def _whisper(full: bool) -> tuple[Any, int, int, int]:
    words, width, layers, heads, frames = (51865, 384, 4, 6, 1500) if full else (40, 16, 2, 2, 8)
    config = transformers.WhisperConfig(
        vocab_size=words,
        num_mel_bins=80 if full else 6,
        d_model=width,
        encoder_layers=layers,
        encoder_attention_heads=heads,
        encoder_ffn_dim=4 * width,
        decoder_layers=layers,
        decoder_attention_heads=heads,
        decoder_ffn_dim=4 * width,
        max_source_positions=frames,
        max_target_positions=448 if full else 12,
        use_cache=False,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        suppress_tokens=None,
        begin_suppress_tokens=None,
    )
    return transformers.WhisperModel(config).eval(), words, width, frames


def whisper_encoder(full: bool) -> Specimen:
    """Whisper tiny over thirty seconds in full size."""
    model, _, _, frames = _whisper(full)
    return Specimen(
        FirstOutput(model.encoder, "input_features"), (torch.randn(1, model.config.num_mel_bins, 2 * frames),)
    )


def whisper_decoder(full: bool) -> Specimen:
    """Whisper tiny's decoder; the number of tokens is dynamic."""
    model, words, width, frames = _whisper(full)
    longest = model.config.max_target_positions
    module = FirstOutput(model.decoder, "input_ids", "encoder_hidden_states", use_cache=False)
    states = torch.randn(1, frames, width)
    shapes = (({1: Dim("tokens", min=2, max=longest)}, None),)
    others = ((tokens(words, 1, longest), states), (tokens(words, 1, 2), states))
    return Specimen(module, (tokens(words, 1, 5), states), shapes, others)


def wav2vec2(full: bool) -> Specimen:
    """Wav2Vec2 base over a second at 16 kHz in full size."""
    if full:
        config, samples = transformers.Wav2Vec2Config(), 16_000
    else:
        samples = 200
        config = transformers.Wav2Vec2Config(
            vocab_size=12,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            conv_dim=(8, 8, 8),
            conv_kernel=(10, 3, 2),
            conv_stride=(5, 2, 2),
            num_feat_extract_layers=3,
            num_conv_pos_embeddings=4,
            num_conv_pos_embedding_groups=2,
        )
    model = transformers.Wav2Vec2ForCTC(config).eval()
    return Specimen(FirstOutput(model, "input_values"), (torch.randn(1, samples),))


class ConformerBlock(nn.Module):
    """Half a feed-forward, attention with relative positions, convolution, half a feed-forward (Gulati et al. 2020)."""

    def __init__(self, width: int, heads: int, kernel: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = self._feed_forward(width), self._feed_forward(width)
        self.norm, self.final = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.position, self.out = (
            nn.Linear(width, 3 * width),
            nn.Linear(width, width),
            nn.Linear(width, width),
        )
        self.content_bias, self.position_bias = (
            nn.Parameter(torch.randn(heads, 1, width // heads)) for _ in range(2)
        )
        self.conv_norm = nn.LayerNorm(width)
        self.conv = nn.Sequential(
            nn.Conv1d(width, 2 * width, 1),
            nn.GLU(1),
            nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width),
            nn.BatchNorm1d(width),
            nn.SiLU(),
            nn.Conv1d(width, width, 1),
        )

    @staticmethod
    def _feed_forward(width: int) -> nn.Module:
        return nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width)
        )

    def _attend(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape

        def split(y: torch.Tensor) -> torch.Tensor:
            return y.view(y.shape[0], -1, self.heads, width // self.heads).transpose(1, 2)

        query, key, value = (split(part) for part in self.qkv(self.norm(x)).chunk(3, -1))
        relative = split(self.position(positions)[None])
        content = (query + self.content_bias) @ key.transpose(-2, -1)
        # The relative shift: column j of row i has to hold the score of distance i - j.
        shifted = F.pad((query + self.position_bias) @ relative.transpose(-2, -1), (1, 0))
        shifted = shifted.view(batch, self.heads, 2 * length, length)[:, :, 1:].reshape(
            (*content.shape[:3], -1)
        )
        scores = (content + shifted[..., :length]) * (width // self.heads) ** -0.5
        return self.out((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, width))

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        x = x + 0.5 * self.before(x)
        x = x + self._attend(x, positions)
        x = x + self.conv(self.conv_norm(x).transpose(1, 2)).transpose(1, 2)
        return self.final(x + 0.5 * self.after(x))


class Conformer(nn.Module):
    """Subsampling by convolutions, conformer blocks, CTC scores."""

    positions: torch.Tensor

    def __init__(self, mels: int, width: int, heads: int, blocks: int, frames: int, symbols: int) -> None:
        super().__init__()
        self.subsample = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1), nn.ReLU(), nn.Conv2d(width, width, 3, 2, 1)
        )
        self.project = nn.Linear(width * (mels // 4), width)
        self.blocks = nn.ModuleList(ConformerBlock(width, heads, 5) for _ in range(blocks))
        self.head = nn.Linear(width, symbols)
        distance = torch.arange(frames - 1, -frames, -1)[:, None] * 10000.0 ** (
            -torch.arange(0, width, 2) / width
        )
        self.register_buffer("positions", torch.cat([distance.sin(), distance.cos()], -1))

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        x = self.subsample(mel.unsqueeze(1))
        x = self.project(x.transpose(1, 2).flatten(2))
        for block in self.blocks:
            x = block(x, self.positions)
        return self.head(x).log_softmax(-1)


def conformer(full: bool) -> Specimen:
    """Four blocks of 144 over a second of 80 mel bands in full size."""
    mels, width, heads, blocks, frames = (80, 144, 4, 4, 25) if full else (8, 8, 2, 1, 5)
    module = Conformer(mels, width, heads, blocks, frames, 30)
    return Specimen(calibrated(module, torch.randn(2, 4 * frames, mels)), (torch.randn(1, 4 * frames, mels),))


class EmformerLayer(nn.Module):
    """Streaming attention (Shi et al. 2021): a segment, its right context, a memory bank, and a cache of the left.

    The state goes in and out as lists of tensors.
    """

    def __init__(self, width: int, heads: int, left: int, memory: int) -> None:
        super().__init__()
        self.heads, self.left, self.memory = heads, left, memory
        self.norm, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key_value = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.out, self.up, self.down = (
            nn.Linear(width, width),
            nn.Linear(width, 4 * width),
            nn.Linear(4 * width, width),
        )

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(
        self, x: torch.Tensor, segment: int, state: list[torch.Tensor]
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        bank, left_keys, left_values = state
        y = self.norm(x)
        summary = y[:, :segment].mean(1, keepdim=True)
        keys, values = self.key_value(torch.cat([bank, y], 1)).chunk(2, -1)
        size = bank.shape[1]
        keys = torch.cat([keys[:, :size], left_keys, keys[:, size:]], 1)
        values = torch.cat([values[:, :size], left_values, values[:, size:]], 1)
        query = self._heads(self.query(torch.cat([y, summary], 1)))
        attended = F.scaled_dot_product_attention(query, self._heads(keys), self._heads(values))
        attended = self.out(attended.transpose(1, 2).flatten(2))
        x = x + attended[:, :-1]
        x = x + self.down(F.relu(self.up(self.norm2(x))))
        end = size + self.left + segment
        bank = torch.cat([bank, torch.tanh(attended[:, -1:])], 1)[:, -self.memory :]
        return x, [bank, keys[:, end - self.left : end], values[:, end - self.left : end]]


class Emformer(nn.Module):
    """Emformer layers over one segment with its right context."""

    def __init__(self, width: int, heads: int, layers: int, left: int, memory: int, segment: int) -> None:
        super().__init__()
        self.segment = segment
        self.layers = nn.ModuleList(EmformerLayer(width, heads, left, memory) for _ in range(layers))

    def forward(self, x: torch.Tensor, states: list[list[torch.Tensor]]) -> Any:
        new_states = []
        for layer, state in zip(self.layers, states, strict=True):
            x, state = layer(x, self.segment, state)
            new_states.append(state)
        return x[:, : self.segment], new_states


def emformer(full: bool) -> Specimen:
    """Four layers of 256, segments of 16 frames, in full size."""
    width, heads, layers, left, memory, segment = (256, 4, 4, 30, 4, 16) if full else (8, 2, 2, 3, 2, 4)

    def state() -> list[torch.Tensor]:
        return [torch.randn(1, length, width) for length in (memory, left, left)]

    module = Emformer(width, heads, layers, left, memory, segment).eval()
    return Specimen(module, (torch.randn(1, segment + 2, width), [state() for _ in range(layers)]))


def keyword_spotting(full: bool) -> Specimen:
    """A depthwise-separable CNN on MFCCs (Zhang et al. 2017), twelve keywords."""
    width, blocks, frames, bands = (64, 4, 49, 10) if full else (6, 2, 9, 5)
    layers: list[nn.Module] = [nn.Conv2d(1, width, (10, 4), 2, (5, 1)), nn.BatchNorm2d(width), nn.ReLU()]
    for _ in range(blocks):
        layers += [ConvNormAct(width, width, groups=width), ConvNormAct(width, width, 1)]
    module = nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 12), nn.Softmax(-1)
    )
    return Specimen(calibrated(module, torch.randn(4, 1, frames, bands)), (torch.randn(1, 1, frames, bands),))


class WaveNet(nn.Module):
    """Causal dilated convolutions with gates and skips (van den Oord et al. 2016)."""

    def __init__(self, width: int, layers: int, levels: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(levels, width)
        self.dilated = nn.ModuleList(nn.Conv1d(width, 2 * width, 2, dilation=1 << i) for i in range(layers))
        self.skips = nn.ModuleList(nn.Conv1d(width, width, 1) for _ in range(layers))
        self.head = nn.Conv1d(width, levels, 1)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        x = self.embedding(samples).transpose(1, 2)
        total = torch.zeros_like(x)
        for index, (dilated, skip) in enumerate(zip(self.dilated, self.skips, strict=True)):
            signal, gate = dilated(F.pad(x, (1 << index, 0))).chunk(2, 1)
            y = skip(torch.tanh(signal) * torch.sigmoid(gate))
            x, total = x + y, total + y
        return self.head(F.relu(total))


def wavenet(full: bool) -> Specimen:
    """Eight layers of 64 over 256 samples in full size; the length is dynamic."""
    width, layers, levels, length = (64, 8, 256, 256) if full else (4, 3, 8, 12)
    module = WaveNet(width, layers, levels).eval()
    shapes = ({1: Dim("samples", min=2, max=2 * length)},)
    others = ((tokens(levels, 1, 2 * length),), (tokens(levels, 1, 3),))
    return Specimen(module, (tokens(levels, 1, length),), shapes, others)


class SpectralDenoiser(nn.Module):
    """A mask over the short-time spectrum of a waveform, and the masked waveform's energy in mel-like bands."""

    def __init__(self, window: int, bands: int) -> None:
        super().__init__()
        self.window = window
        bins = window // 2 + 1
        self.register_buffer("taper", torch.hann_window(window), persistent=False)
        self.mask = nn.Sequential(nn.Linear(bins, bands), nn.ReLU(), nn.Linear(bands, bins), nn.Sigmoid())
        self.bands = nn.Linear(bins, bands, bias=False)

    def forward(self, samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        frames = samples.unfold(-1, self.window, self.window // 2) * self.taper
        spectrum = torch.fft.rfft(frames)
        mask = self.mask(torch.log1p(spectrum.abs()))
        clean = torch.fft.irfft(torch.complex(spectrum.real * mask, spectrum.imag * mask), n=self.window)
        return clean, self.bands(mask)


def spectral_denoiser(full: bool) -> Specimen:
    """Windows of 512 over 16,000 samples in full size: FFT, complex tensors, inverse FFT."""
    window, bands, samples = (512, 80, 16000) if full else (8, 3, 32)
    return Specimen(SpectralDenoiser(window, bands).eval(), (torch.randn(1, samples),))


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (
        whisper_encoder,
        whisper_decoder,
        wav2vec2,
        conformer,
        emformer,
        keyword_spotting,
        wavenet,
        spectral_denoiser,
    )
}
