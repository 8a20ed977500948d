"""whisper_runner says of a recording what the same small model says in eager mode."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import struct
import subprocess

import pytest
import torch

from executorch.exir import to_edge
from executorch.extension.audio.mel_spectrogram import WhisperAudioProcessor, export_processor
from executorch.extension.llm.runner.models_for_tests import END, VOCABULARY, tokenizer_json

_PROGRAM = pathlib.Path(__file__).absolute().parents[1] / "whisper_runner"
BINS, WIDTH, POSITIONS, START = 8, 16, 12, 65


class Encoder(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv1d(BINS, WIDTH, 3, stride=2, padding=1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.gelu(self.convolution(features)).transpose(1, 2)


class Decoder(torch.nn.Module):
    """Attention to what was heard, by all tokens so far: a cache has them by position."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.logits = torch.nn.Linear(2 * WIDTH, VOCABULARY)
        self.register_buffer("seen", torch.zeros(1, POSITIONS, WIDTH))

    def forward(self, token: torch.Tensor, heard: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        self.seen[:, position] = self.embedding(token)
        there = torch.arange(POSITIONS)[None, :, None] <= position
        said = (self.seen * there).sum(1, keepdim=True)
        weights = torch.softmax(said @ heard.transpose(1, 2), -1)
        return self.logits(torch.cat([weights @ heard, said], -1))


def recording(path: pathlib.Path, seconds: float, channels: int = 1) -> torch.Tensor:
    """A WAV file of floats, of 16,000 samples a second."""
    time = torch.arange(int(16000 * seconds)) / 16000
    samples = 0.5 * torch.sin(2 * torch.pi * 440 * time) + 0.1 * torch.sin(2 * torch.pi * 3000 * time)
    data = samples.numpy().tobytes() * channels
    form = struct.pack("<HHIIHH", 3, channels, 16000, 64000 * channels, 4 * channels, 32)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    return samples


def in_eager_mode(
    features: torch.Tensor, encoder: Encoder, decoder: Decoder, limit: int, begin: tuple[int, ...] = (START,)
) -> list[int]:
    """What follows the tokens that decoding begins with."""
    heard, tokens = encoder(features), list(begin)
    for place in range(min(len(begin) + limit - 1, POSITIONS)):
        logits = decoder(torch.tensor([[tokens[place]]]), heard, torch.tensor([place]))
        if place + 1 == len(tokens):
            tokens.append(int(logits.argmax()))
        if tokens[-1] == END:
            break
    return tokens[len(begin) :]


def text_of(tokens: list[int]) -> str:
    return bytes(token for token in tokens if token != END).decode(errors="replace")


def write_model(path: pathlib.Path, encoder: Encoder, decoder: Decoder) -> None:
    features = torch.zeros(1, BINS, 100, dtype=encoder.convolution.weight.dtype)
    with torch.no_grad():
        heard = encoder(features)
    methods = {
        "encoder": torch.export.export(encoder, (features,)),
        "text_decoder": torch.export.export(
            decoder, (torch.zeros(1, 1, dtype=torch.long), heard, torch.zeros(1, dtype=torch.long))
        ),
    }
    constants = {"get_max_seq_len": POSITIONS, "decoder_start_token_id": START, "get_eos_id": END}
    path.write_bytes(to_edge(methods, constant_methods=constants).to_executorch().buffer)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(4)
    return Encoder().eval(), Decoder().eval()


@pytest.fixture(scope="module")
def files(model, tmp_path_factory):
    directory = tmp_path_factory.mktemp("model")
    write_model(directory / "model.pte", *model)
    (directory / "tokenizer.json").write_text(tokenizer_json())
    sizes = {"feature_size": BINS, "chunk_length": 1, "max_audio_len": 3}
    export_processor(directory / "processor.pte", backend="none", stack_output=True, **sizes)
    return directory


def run(directory: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            _PROGRAM,
            f"--model_path={directory / 'model.pte'}",
            f"--tokenizer_path={directory}",
            f"--processor_path={directory / 'processor.pte'}",
            *arguments,
        ],
        capture_output=True,
        env=dict(os.environ),
        text=True,
        errors="replace",
    )


def features_of(samples: torch.Tensor) -> torch.Tensor:
    return WhisperAudioProcessor(feature_size=BINS, chunk_length=1, stack_output=True)(samples)


@pytest.mark.parametrize("limit", [5, 128])
@torch.no_grad()
def test_it_says_what_the_model_says(model, files, tmp_path, limit):
    tokens = in_eager_mode(features_of(recording(tmp_path / "a.wav", 0.6)), *model, limit)
    assert len(set(tokens)) > 1, "a model that repeats itself would hide mistakes"
    done = run(files, f"--audio_path={tmp_path / 'a.wav'}", f"--max_new_tokens={limit}", "--benchmark")
    assert done.returncode == 0, done.stderr
    text, figures = done.stdout.split("PyTorchObserver ")
    assert text == text_of(tokens) + "\n"
    assert json.loads(figures)["generated_tokens"] == len(tokens)


@torch.no_grad()
def test_a_long_recording_is_transcribed_in_pieces(model, files, tmp_path):
    features = features_of(recording(tmp_path / "a.wav", 1.5))
    pieces = [in_eager_mode(piece[None], *model, 4) for piece in features]
    done = run(files, f"--audio_path={tmp_path / 'a.wav'}", "--max_new_tokens=4", "--benchmark")
    assert done.returncode == 0, done.stderr
    text, figures = done.stdout.split("PyTorchObserver ")
    assert len(pieces) == 2 and text == text_of(pieces[0] + pieces[1]) + "\n"
    assert json.loads(figures)["generated_tokens"] == len(pieces[0] + pieces[1])


@torch.no_grad()
def test_what_it_begins_and_ends_with(model, files, tmp_path):
    features = features_of(recording(tmp_path / "a.wav", 0.6))
    begin = (70, 71, 72)
    tokens = in_eager_mode(features, *model, 128, begin)
    begins = [f"--audio_path={tmp_path / 'a.wav'}", "--decoder_input_ids=" + ",".join(map(str, begin))]
    done = run(files, *begins)
    assert (done.returncode, done.stdout) == (0, text_of(tokens) + "\n"), done.stderr
    last = tokens[2]
    ended = tokens[: tokens.index(last) + 1]
    done = run(files, *begins, f"--eos_token_ids={last},200")
    assert (done.returncode, done.stdout) == (0, text_of(ended) + "\n"), done.stderr
    done = run(files, begins[0], "--decoder_input_ids=" + ",".join(["70"] * (POSITIONS + 1)))
    assert done.returncode == 1 and f"{POSITIONS} positions" in done.stderr


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@torch.no_grad()
def test_features_are_halves_if_the_encoder_takes_these(model, files, tmp_path, dtype):
    encoder, decoder = copy.deepcopy(model[0]).to(dtype), copy.deepcopy(model[1]).to(dtype)
    features = features_of(recording(tmp_path / "a.wav", 0.6)).to(dtype)
    tokens = in_eager_mode(features, encoder, decoder, 3)
    write_model(tmp_path / "halves.pte", encoder, decoder)
    done = run(
        files,
        f"--model_path={tmp_path / 'halves.pte'}",
        f"--audio_path={tmp_path / 'a.wav'}",
        "--max_new_tokens=3",
    )
    assert (done.returncode, done.stdout) == (0, text_of(tokens) + "\n"), done.stderr


def test_what_is_wrong_is_said(files, tmp_path):
    recording(tmp_path / "stereo.wav", 0.2, channels=2)
    recording(tmp_path / "a.wav", 0.2)
    (tmp_path / "none.wav").write_bytes(b"RIFF")
    mono = f"--audio_path={tmp_path / 'a.wav'}"
    for arguments, words in [
        ([], "--audio_path is needed"),
        (["--temperature=-1", mono], "--temperature takes NUMBER, found '-1'"),
        (["--eos_token_ids=1,x", mono], "--eos_token_ids takes ID[,ID...], found '1,x'"),
        ([f"--audio_path={tmp_path / 'stereo.wav'}"], "2 channels"),
        ([f"--audio_path={tmp_path / 'none.wav'}"], "cannot be read"),
        (["--model_path=nowhere", mono], "The model nowhere"),
        (["--tokenizer_path=nowhere", mono], "tokenizer nowhere"),
        (["--processor_path=nowhere", mono], "could not be transcribed"),
    ]:
        done = run(files, *arguments)
        assert done.returncode != 0 and words in done.stderr, done.stderr
    assert "--processor_path=FILE" in run(files, "--help").stdout
