"""Mel spectrograms as Whisper and its kin take them, as a module that can be exported.

::

    python -m executorch.extension.audio.mel_spectrogram --output_file=whisper_preprocess.pte
"""

from __future__ import annotations

import argparse
import importlib
import math
import pathlib
from collections.abc import Sequence
from typing import Any

import torch
import torch.fx.experimental._config

from executorch.exir import to_edge_transform_and_lower

#: Backend to the module and the name of its partitioner; looked up when asked for, so that none is needed otherwise.
_PARTITIONERS = {
    "xnnpack": ("executorch.backends.xnnpack.partition.xnnpack_partitioner", "XnnpackPartitioner"),
}

#: The highest frequency of the bands.
_TOP_HERTZ = 8000.0
#: Below it, the logarithm is cut off.
_FLOOR = 1e-10
#: How far below the loudest value everything else is cut off, in powers of ten.
_DYNAMIC_RANGE = 8.0


class WhisperAudioProcessor(torch.nn.Module):
    """Audio to a logarithmic mel spectrogram, as Whisper's feature extractor has it.

    Frames of ``n_fft`` samples under a Hann window, every ``hop_length`` samples, with the audio mirrored at both ends;
    the power of each in ``feature_size`` bands of Slaney's mel scale up to 8 kHz at any sampling rate; its decimal
    logarithm, cut off eight powers of ten below the loudest, and scaled so that values lie around zero.

    Args:
        feature_size: Number of mel bands.
        sampling_rate: Samples a second.
        hop_length: Samples between the starts of frames.
        chunk_length: Seconds; audio is padded to a multiple of it.
        n_fft: Samples in a frame.
        padding_value: What audio is padded with.
        max_audio_len: Seconds of the longest audio that the exported program takes.
        stack_output: Gives one batch entry for each chunk in place of one long entry.
        streaming: Does not pad to chunks.
    """

    mel_filters: torch.Tensor
    _waves: torch.Tensor

    def __init__(
        self,
        feature_size: int = 80,
        sampling_rate: int = 16000,
        hop_length: int = 160,
        chunk_length: int = 30,
        n_fft: int = 400,
        padding_value: float = 0.0,
        max_audio_len: int = 600,
        stack_output: bool = False,
        streaming: bool = False,
    ) -> None:
        super().__init__()
        if min(feature_size, sampling_rate, hop_length, chunk_length, n_fft, max_audio_len) <= 0:
            raise ValueError("sizes, rates and lengths of a WhisperAudioProcessor must be positive")
        self.feature_size = feature_size
        self.sampling_rate = sampling_rate
        self.hop_length = hop_length
        self.chunk_length = chunk_length
        self.n_fft = n_fft
        self.padding_value = padding_value
        self.max_audio_len = max_audio_len
        self.stack_output = stack_output
        self.streaming = streaming
        self.n_samples = chunk_length * sampling_rate
        self.nb_max_frames = self.n_samples // hop_length
        self.register_buffer(
            "mel_filters", self.get_mel_filters(sampling_rate, n_fft, feature_size), persistent=False
        )
        self.register_buffer("_waves", _windowed_waves(n_fft), persistent=False)

    def get_mel_filters(
        self, sr: int, n_fft: int, n_mels: int = 128, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Triangles over the frequencies of a frame, of equal area, evenly spaced on Slaney's mel scale up to 8 kHz.

        Args:
            sr: Samples a second.
            n_fft: Samples in a frame.
            n_mels: Number of triangles.
            dtype: Of the result.

        Returns:
            Weights of size (n_mels, n_fft // 2 + 1).
        """
        frequencies = torch.linspace(0, sr / 2, n_fft // 2 + 1, dtype=torch.float64)
        top = float(_mel(torch.tensor(_TOP_HERTZ, dtype=torch.float64)))
        corners = _hertz(torch.linspace(0, top, n_mels + 2, dtype=torch.float64))
        low, peak, high = (corners[start : start + n_mels, None] for start in range(3))
        rising = (frequencies - low) / (peak - low)
        falling = (high - frequencies) / (high - peak)
        triangles = torch.clamp(torch.minimum(rising, falling), min=0)
        return (triangles * 2 / (high - low)).to(dtype)

    def forward(self, waveform: torch.Tensor) -> torch.Tensor:
        """The spectrogram.

        Args:
            waveform: Samples of one channel, of size (number,).

        Returns:
            Size (1, feature_size, frames), with ``chunk_length * sampling_rate / hop_length`` frames for each chunk that
            the audio begins; with ``stack_output`` (chunks, feature_size, frames of a chunk); with ``streaming``
            number // hop_length frames.
        """
        if waveform.dim() != 1:
            raise ValueError(
                f"audio of one channel has one dimension, this has the size {tuple(waveform.shape)}\n"
                "Way out: call the processor once for each channel or recording"
            )
        if not self.streaming:
            chunks = (waveform.shape[0] - 1) // self.n_samples + 1
            missing = chunks * self.n_samples - waveform.shape[0]
            waveform = torch.nn.functional.pad(waveform, (0, missing), value=self.padding_value)
        mirrored = torch.nn.functional.pad(
            waveform[None, None], (self.n_fft // 2, self.n_fft // 2), "reflect"
        )
        # A Fourier transform as one convolution: its operators run everywhere, those with complex numbers do not.
        parts = torch.conv1d(mirrored, self._waves, stride=self.hop_length)[0, :, :-1]
        cosine, sine = parts.split(self.n_fft // 2 + 1)
        power = cosine * cosine + sine * sine
        bands = self.mel_filters @ power
        levels = torch.log10(torch.clamp(bands, min=_FLOOR))
        levels = torch.maximum(levels, levels.amax() - _DYNAMIC_RANGE)
        levels = (levels + 4.0) / 4.0
        if self.stack_output:
            # One more dimension by index, which leaves the number of chunks open when the module is exported.
            starts = torch.arange(0, levels.shape[1], self.nb_max_frames, device=levels.device)
            places = starts[:, None] + torch.arange(self.nb_max_frames, device=levels.device)
            return levels[:, places].permute(1, 0, 2)
        return levels.unsqueeze(0)


def _windowed_waves(n_fft: int) -> torch.Tensor:
    """Cosines, then sines, of all frequencies of a frame under a Hann window; of size (2 * (n_fft // 2 + 1), 1, n_fft)."""
    places = torch.arange(n_fft, dtype=torch.int64)
    frequencies = torch.arange(n_fft // 2 + 1, dtype=torch.int64)
    angles = (frequencies[:, None] * places % n_fft).to(torch.float64) * (2 * math.pi / n_fft)
    window = torch.hann_window(n_fft, dtype=torch.float64)
    return (torch.cat([torch.cos(angles), torch.sin(angles)]) * window)[:, None].to(torch.float32)


def _mel(hertz: torch.Tensor) -> torch.Tensor:
    """Slaney's scale: 15 mel at 1 kHz, straight below it and logarithmic above (27 steps for a factor of 6.4)."""
    above = 15 + torch.log(torch.clamp(hertz, min=1000) / 1000) * (27 / torch.log(torch.tensor(6.4)))
    return torch.where(hertz < 1000, hertz * 15 / 1000, above)


def _hertz(mel: torch.Tensor) -> torch.Tensor:
    above = 1000 * torch.exp(torch.log(torch.tensor(6.4)) / 27 * (mel - 15))
    return torch.where(mel < 15, mel * 1000 / 15, above)


def export_processor(
    output_file: str | pathlib.Path = "whisper_preprocess.pte", backend: str = "xnnpack", **model_kwargs: Any
) -> None:
    """Writes a :class:`WhisperAudioProcessor` as a program that takes audio of any length up to ``max_audio_len``.

    Args:
        output_file: The program's file.
        backend: ``xnnpack``, or ``none`` for a program without delegates.
        model_kwargs: Arguments of the processor.

    Raises:
        ValueError: The backend is none of these.
        ModuleNotFoundError: The backend is not installed.
    """
    if backend != "none" and backend not in _PARTITIONERS:
        raise ValueError(f"unknown backend {backend!r}: one of {['none', *_PARTITIONERS]}")
    partitioners = []
    if backend in _PARTITIONERS:
        module, name = _PARTITIONERS[backend]
        partitioners.append(getattr(importlib.import_module(module), name)())
    model = WhisperAudioProcessor(**model_kwargs).eval()
    longest = model.max_audio_len * model.sampling_rate
    # More than one chunk, so that their number stays open.
    example = torch.zeros(min(model.n_samples + model.n_fft, longest))
    samples = torch.export.Dim("samples", min=model.n_fft, max=longest)
    # Audio of a single chunk must not become a program of its own.
    with torch.fx.experimental._config.patch(backed_size_oblivious=True):  # type: ignore[attr-defined]
        program = torch.export.export(model, (example,), dynamic_shapes={"waveform": {0: samples}})
    manager = to_edge_transform_and_lower(program, partitioner=partitioners).to_executorch()
    with open(output_file, "wb") as file:
        manager.write_to_file(file)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line.

    Raises:
        SystemExit: The arguments are wrong.
    """
    parser = argparse.ArgumentParser(description="Writes a WhisperAudioProcessor as a program.")
    parser.add_argument("--feature_size", type=int, default=80, help="number of mel bands")
    parser.add_argument("--sampling_rate", type=int, default=16000, help="samples a second")
    parser.add_argument("--hop_length", type=int, default=160, help="samples between frames")
    parser.add_argument(
        "--chunk_length", type=int, default=30, help="audio is padded to a multiple of it, in seconds"
    )
    parser.add_argument("--n_fft", type=int, default=400, help="samples in a frame")
    parser.add_argument("--max_audio_len", type=int, default=600, help="seconds of the longest audio")
    parser.add_argument("--stack_output", action="store_true", help="one batch entry for each chunk")
    parser.add_argument("--streaming", action="store_true", help="no padding to chunks")
    parser.add_argument("--output_file", default="whisper_preprocess.pte", help="the program's file")
    parser.add_argument(
        "--backend", choices=["none", *_PARTITIONERS], default="xnnpack", help="which is asked"
    )
    export_processor(**vars(parser.parse_args(arguments)))


__all__ = ["WhisperAudioProcessor", "export_processor", "main"]

if __name__ == "__main__":
    main()
