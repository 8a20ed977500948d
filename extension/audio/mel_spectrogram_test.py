"""Mel spectrograms against torch's Fourier transform, and at run time."""

from __future__ import annotations

import pathlib

import pytest
import torch

from executorch.extension.audio import mel_spectrogram
from executorch.extension.audio.mel_spectrogram import WhisperAudioProcessor, export_processor
from executorch.runtime import Runtime

SMALL = {"feature_size": 20, "chunk_length": 1, "max_audio_len": 4}


def _audio(samples: int) -> torch.Tensor:
    steps = torch.arange(samples, dtype=torch.float64)
    return (torch.sin(steps * 0.05) * 0.3 + torch.cos(steps**1.3 * 0.001)).to(torch.float32)


def _reference(model: WhisperAudioProcessor, audio: torch.Tensor) -> torch.Tensor:
    spectrum = torch.stft(
        audio.double(),
        model.n_fft,
        model.hop_length,
        window=torch.hann_window(model.n_fft, dtype=torch.float64),
        return_complex=True,
    )
    levels = torch.log10((model.mel_filters.double() @ spectrum[:, :-1].abs() ** 2).clamp(min=1e-10))
    levels = torch.maximum(levels, levels.max() - 8)
    return ((levels + 4) / 4).to(torch.float32)[None]


def test_values_are_those_of_a_fourier_transform() -> None:
    model = WhisperAudioProcessor(chunk_length=1)
    audio = _audio(16000)
    torch.testing.assert_close(model(audio), _reference(model, audio), atol=1e-4, rtol=1e-4)
    # The published processor's values for the same audio.
    default = WhisperAudioProcessor()(_audio(5000))
    assert float(default.max()) == pytest.approx(1.63342, abs=1e-4)
    assert float(default.sum()) == pytest.approx(-87486.94, rel=1e-4)


def test_sizes() -> None:
    assert WhisperAudioProcessor()(_audio(5000)).shape == (1, 80, 3000)
    assert WhisperAudioProcessor()(_audio(480001)).shape == (1, 80, 6000)
    assert WhisperAudioProcessor(stack_output=True)(_audio(480001)).shape == (2, 80, 3000)
    assert WhisperAudioProcessor(streaming=True)(_audio(5000)).shape == (1, 80, 31)
    stacked = WhisperAudioProcessor(stack_output=True, **SMALL)(_audio(20000))
    flat = WhisperAudioProcessor(**SMALL)(_audio(20000))
    torch.testing.assert_close(torch.cat(list(stacked), dim=-1), flat[0])


def test_filters_have_equal_areas() -> None:
    filters = WhisperAudioProcessor().mel_filters
    assert filters.shape == (80, 201) and float(filters.min()) == 0.0
    # Triangles of area 1 over frequencies that lie 40 Hz apart; the narrow ones are sampled too roughly.
    assert filters[40:].sum(1) * 40 == pytest.approx(torch.ones(40).numpy(), rel=0.1)


def test_what_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="one dimension"):
        WhisperAudioProcessor()(torch.zeros(2, 100))
    with pytest.raises(ValueError, match="positive"):
        WhisperAudioProcessor(hop_length=0)
    with pytest.raises(ValueError, match="unknown backend 'npu'"):
        export_processor(tmp_path / "none.pte", backend="npu")


@pytest.mark.parametrize(("backend", "stack"), [("none", True), ("xnnpack", False)])
def test_the_program_takes_any_length(tmp_path: pathlib.Path, backend: str, stack: bool) -> None:
    path = tmp_path / "processor.pte"
    export_processor(path, backend, stack_output=stack, **SMALL)
    method = Runtime.get().load_program(path).load_method("forward")
    model = WhisperAudioProcessor(stack_output=stack, **SMALL)
    for samples in (16000, 400, 40000, 64000):
        audio = _audio(samples)
        torch.testing.assert_close(method.execute([audio])[0], model(audio), atol=1e-3, rtol=1e-3)


def test_the_command_line(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "processor.pte"
    sizes = ["--feature_size=8", "--chunk_length=1", "--max_audio_len=2"]
    mel_spectrogram.main([f"--output_file={path}", "--backend=none", "--streaming", *sizes])
    method = Runtime.get().load_program(path).load_method("forward")
    assert method.execute([_audio(1600)])[0].shape == (1, 8, 10)
