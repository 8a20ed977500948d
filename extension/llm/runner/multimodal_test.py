"""Prompts of text, images and audio, on a model whose answer depends on every part."""

from __future__ import annotations

import pathlib
from array import array

import pytest
import torch
import transformers

from executorch.exir import to_edge
from executorch.extension.llm.runner import (
    Audio,
    GenerationConfig,
    Image,
    MultimodalInput,
    MultimodalRunner,
    RawAudio,
    Stats,
    generate_hf,
    generate_text_hf,
    make_audio_input,
    make_image_input,
    make_raw_audio_input,
    make_text_input,
    make_token_input,
)
from executorch.extension.llm.runner.models_for_tests import (
    CACHE_CONSTANTS,
    exported_multimodal,
    tokenizer_json,
)
from executorch.runtime import ExecuTorchError

CONFIG = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=3)
POSITIONS = 20
"""Of an image: more than the model takes at once."""
PIXELS = torch.arange(24.0).view(3, 2, 4)
FRAMES = torch.arange(6, dtype=torch.uint8).view(1, 2, 3)
#: What they add up to, with the other positions.
OF_IMAGE, OF_AUDIO = int(PIXELS.sum()) + POSITIONS - 1, int(FRAMES.sum()) + 1


def following(total: int, count: int = 3) -> str:
    """What the model answers when what it was given adds up to this."""
    answer = ""
    for _ in range(count):
        answer += chr(ord("a") + (total + sum(map(ord, answer))) % 26)
    return answer


def total(text: str) -> int:
    return sum(map(ord, text))


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("model")
    older = exported_multimodal(3, decoder="text_model", vision="image_encoder")
    del older["audio_encoder"]
    for name, methods in {"model": exported_multimodal(POSITIONS), "older": older}.items():
        program = to_edge(methods, constant_methods=CACHE_CONSTANTS).to_executorch()
        (made / f"{name}.pte").write_bytes(program.buffer)
    (made / "tokenizer.json").write_text(tokenizer_json())
    return made


@pytest.fixture
def make(directory):
    return lambda name="model": MultimodalRunner(
        str(directory / f"{name}.pte"), str(directory / "tokenizer.json")
    )


def test_parts_run_in_their_order(make):
    runner = make()
    assert not runner.is_loaded()
    pieces: list[str] = []
    figures: list[Stats] = []
    parts = [make_text_input("look: "), make_image_input(PIXELS), make_text_input("?")]
    runner.generate(parts, CONFIG, pieces.append, figures.append)
    so_far = total("look: ") + OF_IMAGE + total("?")
    answer = following(so_far)
    assert pieces == list(answer) and runner.is_loaded()
    assert (figures[0].num_prompt_tokens, figures[0].num_generated_tokens) == (6 + POSITIONS + 1, 3)
    # The next turn goes on behind it.
    so_far += total(answer) + OF_AUDIO + 7
    parts = [make_audio_input(FRAMES), make_token_input([7])]
    assert "".join(runner.stream(parts, CONFIG)) == following(so_far)
    runner.reset()
    runner.prefill([make_text_input("ab")])
    assert runner.generate_text([make_raw_audio_input(FRAMES.numpy())], CONFIG) == following(
        total("ab") + OF_AUDIO
    )
    runner.reset()
    echoing = GenerationConfig(echo=True, temperature=0.0, max_new_tokens=1)
    parts = [make_text_input("a"), make_image_input(PIXELS), make_text_input("b")]
    assert runner.generate_text(parts, echoing)[:2] == "ab"


def test_older_names_of_methods(make):
    assert make("older").generate_text([make_image_input(PIXELS)], CONFIG) == following(
        OF_IMAGE - POSITIONS + 3
    )


def test_what_goes_wrong_is_said_and_nothing_happened(make, directory):
    runner = make()
    said = runner.generate_text([make_text_input("hello")], CONFIG)
    bytes_image = make_image_input(torch.zeros(3, 2, 4, dtype=torch.uint8))
    for parts, words in [
        ([], "at least one part"),
        ([make_text_input("")], "has no tokens"),
        ([make_token_input([])], "has no tokens"),
        ([make_text_input("x"), bytes_image], "takes dtype 6, the input has dtype 0"),
        ([make_audio_input(FRAMES.float())], "takes dtype 0, the input has dtype 6"),
        ([make_image_input(PIXELS)] * 3, "leave no room"),
        ([make_image_input(torch.zeros(3, 5, 5))], ""),
    ]:
        with pytest.raises(ExecuTorchError, match=words):
            runner.generate(parts, CONFIG)
    assert runner.generate_text([make_text_input("!")], CONFIG) == following(total("hello" + said + "!"))
    with pytest.raises(ExecuTorchError, match="no method audio_encoder"):
        make("older").generate([make_audio_input(FRAMES)], CONFIG)
    with pytest.raises(TypeError, match="put it into a list"):
        runner.generate(make_text_input("x"), CONFIG)
    with pytest.raises(ExecuTorchError, match="nothing"):
        MultimodalRunner(str(directory / "nothing"), str(directory / "tokenizer.json"))
    # A callback ends a run.
    with pytest.raises(KeyError):
        runner.generate([make_text_input("x")], CONFIG, {}.__getitem__)


def test_a_model_of_text_alone_is_refused(directory, tmp_path):
    methods = exported_multimodal()
    program = to_edge(methods["token_embedding"], constant_methods=CACHE_CONSTANTS).to_executorch()
    (tmp_path / "model.pte").write_bytes(program.buffer)
    runner = MultimodalRunner(str(tmp_path / "model.pte"), str(directory / "tokenizer.json"))
    with pytest.raises(ExecuTorchError, match="needs the methods token_embedding and text_decoder"):
        runner.generate([make_text_input("x")], CONFIG)


def test_inputs_say_what_they_are():
    image = make_image_input(PIXELS).get_image()
    assert image is not None and (image.width, image.height, image.channels) == (4, 2, 3)
    assert image.is_float() and image.float_data == PIXELS.flatten().tolist()
    for other in (PIXELS[None], PIXELS.permute(1, 2, 0), PIXELS.permute(1, 2, 0)[None].numpy()):
        same = make_image_input(other).get_image()
        assert same is not None and same.float_data == image.float_data and same.width == 4
    grey = Image([1, 2], width=2, height=1, channels=1)
    assert grey.is_uint8() and grey.uint8_data == [1, 2]
    assert Image([0.5], 1, 1, 1).float_data == [0.5] and Image(array("f", [1]), 1, 1, 1).is_float()
    with pytest.raises(TypeError, match="use uint8_data"):
        _ = grey.float_data
    audio = make_audio_input(FRAMES).get_audio()
    assert audio is not None and (audio.batch_size, audio.n_bins, audio.n_frames) == (1, 2, 3)
    raw = make_raw_audio_input(FRAMES).get_raw_audio()
    assert raw is not None and (raw.n_channels, raw.n_samples) == (2, 3)
    token = MultimodalInput([3, 4])
    assert token.is_tokens() and token.get_tokens() == [3, 4] and token.get_text() is None
    assert MultimodalInput("x").is_text() and not MultimodalInput("x").is_image()
    assert MultimodalInput(Audio(b"a", 1, 1, 1)).is_audio()
    assert repr(MultimodalInput("x")) == "MultimodalInput(type=text, 'x')"
    assert repr(token) == "MultimodalInput(type=tokens, [3, 4])"
    assert repr(MultimodalInput("x" * 100)).endswith("xxx...)")
    assert MultimodalInput(RawAudio(b"a", 1, 1, 1)).is_raw_audio()


def test_inputs_that_make_no_sense():
    for make_input, words in [
        (lambda: Image([1, 2, 3], 2, 1, 1), "does not have 3 values"),
        (lambda: Audio([], 0, 1, 1), "does not have 0 values"),
        (lambda: Image([300], 1, 1, 1), "range"),
        (lambda: make_image_input(torch.zeros(5, 2, 2)), "with 1, 3 .RGB. or 4 .RGBA. channels"),
        (lambda: make_audio_input(torch.zeros(5)), "batch_size, n_bins, n_frames"),
        (lambda: make_token_input([-1]), "from 0 on"),
    ]:
        with pytest.raises(ValueError, match=words):
            make_input()
    with pytest.raises(TypeError, match="uint8 or float32"):
        make_image_input(torch.zeros(3, 2, 2, dtype=torch.float64))


MARKER = 1
BEFORE, BEHIND = list(map(ord, "look: ")), list(map(ord, "?"))


def test_what_a_processor_of_transformers_made_is_a_prompt(make):
    # Places for an image have as many tokens as the processor likes.
    batch = {
        "input_ids": torch.tensor([[*BEFORE, MARKER, MARKER, MARKER, *BEHIND]]),
        "attention_mask": torch.ones(1, 10, dtype=torch.int64),
        "pixel_values": PIXELS.unsqueeze(0),
    }
    expected = following(total("look: ") + OF_IMAGE + total("?"))
    assert make().generate_text_hf(batch, CONFIG, image_token_id=MARKER) == expected
    assert generate_text_hf(make(), transformers.BatchFeature(batch), CONFIG, MARKER) == expected
    pieces: list[str] = []
    generate_hf(make(), batch, CONFIG, MARKER, pieces.append)
    assert "".join(pieces) == expected
    parts = [make_text_input("look: "), make_image_input(PIXELS), make_text_input("?")]
    assert make().generate_text_hf(parts, CONFIG) == expected
    assert make().generate_text_hf({"input_ids": torch.tensor(BEFORE)}, CONFIG) == following(total("look: "))


@pytest.mark.parametrize(
    ("batch", "marker", "message"),
    [
        ({"pixel_values": PIXELS}, MARKER, "no input_ids, but pixel_values"),
        ({"input_ids": torch.ones(2, 3, dtype=torch.int64)}, None, r"\(2, 3\): a runner takes one text"),
        ({"input_ids": torch.ones(1, 0, dtype=torch.int64)}, None, "takes one text"),
        ({"input_ids": torch.tensor(BEFORE), "pixel_values": PIXELS}, None, "image_token_id says where"),
        ({"input_ids": torch.tensor(BEFORE), "pixel_values": PIXELS}, MARKER, "0 images, and there are 1"),
        ({"input_ids": torch.tensor([MARKER, 5, MARKER]), "pixel_values": PIXELS}, MARKER, "2 images, and"),
    ],
)
def test_a_batch_that_does_not_fit_is_an_error(make, batch, marker, message):
    with pytest.raises(ValueError, match=message):
        make().generate_text_hf(batch, CONFIG, marker)
