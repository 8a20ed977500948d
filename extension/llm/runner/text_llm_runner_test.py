"""A small model of bytes, exported with its cache, says in the runner what it says in eager mode."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch.nn import functional

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401 - importing registers them.

VOCABULARY, BEGIN, END = 258, 256, 257
WIDTH, HEADS, KEY_HEADS, CONTEXT, AT_ONCE = 32, 4, 2, 64, 16
SENTENCE = "the quick brown fox jumps over the lazy dog"


def plain_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """Of `[1, positions, heads, head_dim]`."""
    query, key, value = query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2)
    result = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
    return result.transpose(1, 2)


class Block(torch.nn.Module):
    """Attention and a perceptron; keys and values stay in a cache, `[1, positions, heads, head_dim]`."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, custom: bool) -> None:
        super().__init__()
        self.custom = custom
        self.head_dim = WIDTH // HEADS
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(WIDTH) for _ in range(2))
        self.query = torch.nn.Linear(WIDTH, WIDTH)
        self.key_value = torch.nn.Linear(WIDTH, 2 * KEY_HEADS * self.head_dim)
        self.out = torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 2 * WIDTH), torch.nn.Linear(2 * WIDTH, WIDTH)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, CONTEXT, KEY_HEADS, self.head_dim))

    def attend(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, position: torch.Tensor
    ) -> Any:
        steps = query.shape[1]
        if self.custom:
            start = position[0].item()
            torch._check(start >= 0)
            torch._check(start + steps <= CONTEXT)
            torch.ops.llama.update_cache(key, self.keys, start)
            torch.ops.llama.update_cache(value, self.values, start)
            return torch.ops.llama.custom_sdpa(query, self.keys, self.values, start, None, 0.0, True)
        places = position + torch.arange(steps)
        self.keys[:, places] = key
        self.values[:, places] = value
        mask = torch.arange(CONTEXT)[None] <= places[:, None]
        return plain_attention(query, self.keys, self.values, mask)

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        normal = self.norms[0](x)
        query = self.query(normal).view(1, -1, HEADS, self.head_dim)
        key, value = self.key_value(normal).view(1, -1, 2 * KEY_HEADS, self.head_dim).chunk(2, 2)
        x = x + self.out(self.attend(query, key, value, position).reshape(1, -1, WIDTH))
        return x + self.down(functional.gelu(self.up(self.norms[1](x))))


class Model(torch.nn.Module):
    """Logits of what follows the last token: ``(tokens [1, n], position [1]) -> [1, n, vocabulary]``."""

    def __init__(self, custom: bool) -> None:
        super().__init__()
        self.tokens = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.positions = torch.nn.Embedding(CONTEXT, WIDTH)
        self.blocks = torch.nn.ModuleList(Block(custom) for _ in range(2))
        self.head = torch.nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        x = self.tokens(tokens) + self.positions(position + torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x, position)
        return self.head(x)


class WithoutCache(torch.nn.Module):
    """The same, given everything each time."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.model.tokens(tokens) + self.model.positions(torch.arange(tokens.shape[1]))
        block: Any
        for block in self.model.blocks:
            normal = block.norms[0](x)
            query = block.query(normal).view(1, -1, HEADS, block.head_dim)
            key, value = block.key_value(normal).view(1, -1, 2 * KEY_HEADS, block.head_dim).chunk(2, 2)
            mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
            x = x + block.out(plain_attention(query, key, value, mask).reshape(1, -1, WIDTH))
            x = x + block.down(functional.gelu(block.up(block.norms[1](x))))
        return self.model.head(x)


class WithPositions(torch.nn.Module):
    """The same, given the position of every token, ``[n]``."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return self.model(tokens, positions[:1])


@pytest.fixture(scope="module")
def weights() -> dict[str, torch.Tensor]:
    """Of a model that has learned a sentence, and that it ends there."""
    torch.manual_seed(0)
    model = Model(custom=False)
    whole = WithoutCache(model)
    ids = torch.tensor([[*SENTENCE.encode(), END]])
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(60):
        optimizer.zero_grad()
        functional.cross_entropy(whole(ids[:, :-1])[0], ids[0, 1:]).backward()
        optimizer.step()
    return model.state_dict()


def loaded(weights: dict[str, torch.Tensor], custom: bool) -> Model:
    model = Model(custom).eval()
    model.load_state_dict(weights)
    block: Any
    for block in model.blocks:
        block.keys.zero_()
        block.values.zero_()
    return model


def greedy(weights: dict[str, torch.Tensor], prompt: bytes, count: int) -> bytes:
    """What eager mode says, without a cache."""
    whole, ids = WithoutCache(loaded(weights, custom=False)), list(prompt)
    with torch.no_grad():
        while len(ids) - len(prompt) < count:
            ids.append(int(whole(torch.tensor([ids]))[0, -1].argmax()))
            if ids[-1] == END:
                break
    return bytes(token for token in ids[len(prompt) :] if token < 256)


PROGRAMS: Sequence[str] = ("custom", "plain", "positions", "single", "no_cache")

METADATA = {
    "get_max_seq_len": AT_ONCE,
    "get_max_context_len": CONTEXT,
    "get_bos_id": BEGIN,
    "get_eos_ids": [END, BEGIN],
    "use_kv_cache": True,
    "enable_dynamic_shape": True,
}


def write(
    path: pathlib.Path, model: torch.nn.Module, inputs: tuple[torch.Tensor, ...], **metadata: Any
) -> None:
    longest = CONTEXT if len(inputs) == 1 else AT_ONCE
    dynamic = inputs[0].shape[1] > 1
    count = torch.export.Dim("count", min=1, max=longest)
    shapes = [{1: count} if dynamic else {}, *({0: count} if len(x) > 1 else {} for x in inputs[1:])]
    with torch.no_grad():
        exported = torch.export.export(model, inputs, dynamic_shapes=tuple(shapes), strict=False)
    program = to_edge(exported, constant_methods={**METADATA, **metadata}).to_executorch()
    path.write_bytes(program.buffer)


@pytest.fixture(scope="module")
def programs(weights, tmp_path_factory) -> dict[str, pathlib.Path]:
    directory = tmp_path_factory.mktemp("programs")
    paths = {name: directory / f"{name}.pte" for name in PROGRAMS}
    inputs = (torch.zeros(1, 3, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
    write(paths["custom"], loaded(weights, True), inputs)
    write(paths["plain"], loaded(weights, False), inputs)
    write(paths["positions"], WithPositions(loaded(weights, True)), (inputs[0], torch.arange(3)))
    one = (inputs[0][:, :1], inputs[1])
    write(paths["single"], loaded(weights, True), one, enable_dynamic_shape=False)
    whole = WithoutCache(loaded(weights, False))
    write(paths["no_cache"], whole, inputs[:1], use_kv_cache=False, get_max_seq_len=CONTEXT)
    return paths


@pytest.fixture(scope="module")
def two_methods(weights, tmp_path_factory) -> dict[str, pathlib.Path]:
    """Methods for prompts, of any number of tokens and of five, and one for single tokens, over one cache."""
    length = torch.export.Dim("count", min=1, max=AT_ONCE)
    start = torch.zeros(1, dtype=torch.int64)
    exported = {
        name: torch.export.export(
            loaded(weights, True),
            (torch.zeros(1, count, dtype=torch.int64), start),
            dynamic_shapes=({1: length} if name == "any" else {}, {}),
            strict=False,
        )
        for name, count in (("any", 3), ("five", 5), ("step", 1))
    }
    path = tmp_path_factory.mktemp("methods") / "model.pte"
    planning = MemoryPlanningPass(share_mutable_buffers=True)
    program = to_edge(exported, constant_methods=METADATA).to_executorch(
        ExecutorchBackendConfig(memory_planning_pass=planning)
    )
    path.write_bytes(program.buffer)
    methods = {"any": "step:any", "five": "step:five", "alone": "any", "steps": "step"}
    return {name: path.with_name(f"{path.name}:{named}") for name, named in methods.items()}


def run(path: pathlib.Path, count: int, *prompts: str) -> list[tuple[str, int, bytes]]:
    """(error, tokens generated, answer) for each prompt."""
    name = "text_runner_for_tests"
    program = os.environ.get("ET_TEXT_RUNNER_FOR_TESTS", pathlib.Path(__file__).with_name(name))
    done = subprocess.run([program, path, str(count), *prompts], capture_output=True, check=True)
    lines = (line.split(" ") for line in done.stdout.decode().splitlines())
    return [(error, int(generated), bytes.fromhex(text)) for error, generated, text in lines]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_sentence_ends_where_it_was_learned_to_end(programs, name):
    rest = SENTENCE[4:].encode()
    assert run(programs[name], 60, SENTENCE[:4]) == [("Error::Ok", len(rest) + 1, rest)]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("prompt", ["x", "lazy fox", "a prompt that is longer than what is run at once"])
def test_answers_are_those_of_eager_mode(weights, programs, name, prompt):
    expected = greedy(weights, prompt.encode(), 10)
    ((error, _, answer),) = run(programs[name], 10, prompt)
    assert (error, answer) == ("Error::Ok", expected)


@pytest.mark.parametrize("name", ["custom", "plain", "positions", "single"])
def test_a_conversation_goes_on_until_it_is_reset(weights, programs, name):
    first, second = "quick", "over"
    answers = run(programs[name], 3, first, second, "<reset>", first)
    said = first.encode() + answers[0][2] + second.encode()
    assert answers[0][2] == greedy(weights, first.encode(), 3)
    assert answers[1][2] == greedy(weights, said, 3)
    assert answers[2] == answers[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_has_no_room_is_refused(programs, name):
    full = "a" * CONTEXT
    assert [error for error, _, _ in run(programs[name], 5, full, "", "a" * (CONTEXT - 1))] == [
        "Error::InvalidArgument",
        "Error::InvalidArgument",
        "Error::Ok",
    ]


def test_a_program_that_says_nothing_is_refused(weights, tmp_path):
    path = tmp_path / "silent.pte"
    inputs = (torch.zeros(1, 1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64))
    write(path, loaded(weights, True), inputs, get_max_seq_len=0)
    with pytest.raises(subprocess.CalledProcessError) as caught:
        run(path, 1, "a")
    assert b'constant_methods={"get_max_seq_len": ...}' in caught.value.stderr


@pytest.mark.parametrize("name", ["any", "five", "alone", "steps"])
def test_a_method_for_prompts_and_one_for_tokens_have_a_cache_in_common(weights, two_methods, name):
    first, second = "a prompt that is longer than what is run at once", "over"
    answers = run(two_methods[name], 3, first, second, "<reset>", "lazy fox")
    said = first.encode() + answers[0][2] + second.encode()
    for answer, context in zip(answers, (first.encode(), said, b"lazy fox"), strict=True):
        assert (answer[0], answer[2]) == ("Error::Ok", greedy(weights, context, 3))


def test_a_method_that_is_not_there_is_refused(two_methods):
    program = os.environ.get(
        "ET_TEXT_RUNNER_FOR_TESTS", pathlib.Path(__file__).with_name("text_runner_for_tests")
    )
    path = str(two_methods["any"]).replace(":any", ":none")
    done = subprocess.run([program, path, "1", "a"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no method none" in done.stderr
