"""Conversations that go back, branch and are put aside, on a model whose answer depends on every token before it."""

from __future__ import annotations

import functools
import pathlib
import struct

import pytest

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner
from executorch.extension.llm.runner.models_for_tests import (
    CACHE_CONSTANTS,
    CONSTANTS,
    answer_of_sum,
    exported_step,
    exported_successor,
    exported_sum,
    tokenizer_json,
)
from executorch.runtime import ExecuTorchError

CONFIG = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=4)
following = functools.partial(answer_of_sum, count=4)
#: Before the payload: the mark, the model, the size and the hash.
HEADER = 32


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("model")
    programs = {
        "sum": to_edge(exported_sum(), constant_methods=CACHE_CONSTANTS),
        "ring": to_edge(exported_sum(places=20), constant_methods=CACHE_CONSTANTS),
        "plain": to_edge(exported_successor(), constant_methods=CONSTANTS),
    }
    for name, program in programs.items():
        (made / f"{name}.pte").write_bytes(program.to_executorch().buffer)
    methods = {"step": exported_step(), "any": exported_sum()}
    shared = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True))
    program = to_edge(methods, constant_methods=CACHE_CONSTANTS).to_executorch(shared)
    (made / "methods.pte").write_bytes(program.buffer)
    (made / "tokenizer.json").write_text(tokenizer_json())
    return made


@pytest.fixture
def make(directory):
    return lambda name="sum": TextLLMRunner(str(directory / f"{name}.pte"), str(directory / "tokenizer.json"))


def test_turns_go_on_and_back(make):
    runner = make()
    first = runner.generate_text("hello", CONFIG)
    assert first == following("hello")
    assert runner.position() == 9 and bytes(runner.tokens()).decode() == "hello" + first
    second = runner.generate_text(" you", CONFIG)
    assert second == following("hello" + first + " you")
    runner.seek(5)  # Behind the prompt.
    assert runner.generate_text("!", CONFIG) == following("hello!")
    runner.seek(runner.position())
    runner.seek(0)
    assert runner.tokens() == [] and runner.generate_text("hello", CONFIG) == first
    for position in (-1, 99):
        with pytest.raises(ExecuTorchError, match="has not been reached"):
            runner.seek(position)


def test_forks_share_a_prefix_and_go_their_ways(make):
    class Mine(TextLLMRunner):
        """Forks are of it too."""

    base = make()
    base.__class__ = Mine
    base.prefill("system ")
    forks = [base.fork() for _ in range(2)]
    assert all(type(one) is Mine and one.position() == 7 for one in forks)
    said = ["system ", "system ", "system "]
    for words in ("a", "bc"):
        for number, runner in enumerate([base, *forks]):
            prompt = words * (number + 1)
            answer = runner.generate_text(prompt, CONFIG)
            said[number] += prompt
            assert answer == following(said[number])
            said[number] += answer
    del base
    assert forks[0].generate_text("?", CONFIG) == following(said[1] + "?")
    forks[1].reset()
    assert forks[1].generate_text("?", CONFIG) == following("?")


def test_a_prompt_cache_is_taken_up(make, tmp_path):
    runner, path = make(), str(tmp_path / "cache")
    said = "once" + runner.generate_text("once", CONFIG)
    runner.save_session(path)
    assert runner.generate_text("!", CONFIG) == following(said + "!")
    other = make()
    other.restore_session(path)
    assert bytes(other.tokens()).decode() == said
    assert other.generate_text("!", CONFIG) == following(said + "!")
    # Of a session in which nothing was said.
    make().save_session(path)
    other.restore_session(path)
    assert other.position() == 0 and other.generate_text("x", CONFIG) == following("x")


def test_a_ring_goes_back_by_forks_only(make):
    runner = make("ring")
    runner.prefill("abc")
    kept = runner.fork()
    expected = runner.generate_text("d", CONFIG)
    with pytest.raises(ExecuTorchError, match=r"seen does not keep all positions.*fork"):
        runner.seek(2)
    assert kept.generate_text("d", CONFIG) == expected
    runner.seek(0)


def test_files_that_are_not_right_change_nothing(make, directory, tmp_path):
    runner, path = make(), tmp_path / "cache"
    runner.prefill("one")
    runner.save_session(str(path))
    whole = path.read_bytes()
    other = make()
    other.prefill("two")

    def refuses(content: bytes, words: str) -> None:
        path.write_bytes(content)
        with pytest.raises(ExecuTorchError, match=words):
            other.restore_session(str(path))
        assert bytes(other.tokens()) == b"two"

    for length in (0, 7, HEADER, len(whole) - 1):
        refuses(whole[:length], "no prompt cache|damaged")
    for place in (0, 16, 24, HEADER, HEADER + 9, len(whole) // 2, len(whole) - 1):
        refuses(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :], "no prompt cache|damaged")
    refuses(whole + b"x", "damaged")
    refuses(whole[:8] + struct.pack("<Q", 5) + whole[16:], "of another model")
    path.write_bytes(whole)
    with pytest.raises(ExecuTorchError, match="of another model"):
        make("ring").restore_session(str(path))
    with pytest.raises(ExecuTorchError, match="nowhere"):
        other.restore_session(str(tmp_path / "nowhere"))
    with pytest.raises(ExecuTorchError, match="cannot be written"):
        other.save_session(str(tmp_path / "no" / "directory"))
    assert other.generate_text("!", CONFIG) == following("two!")


def test_a_model_without_a_cache_answers_as_ever(make, tmp_path):
    runner = make("plain")
    assert runner.generate_text("ab", CONFIG) == "cdef" and runner.position() == 0
    assert runner.fork().generate_text("ab", CONFIG) == "cdef"


@pytest.mark.parametrize("names", [("step", "any"), ("any", None), ("step", None)])
def test_methods_by_name(directory, tmp_path, names):
    def make():
        paths = str(directory / "methods.pte"), str(directory / "tokenizer.json")
        return TextLLMRunner(*paths, method_name=names[0], prefill_method_name=names[1])

    runner, path = make(), str(tmp_path / "cache")
    said = "hello" + runner.generate_text("hello", CONFIG)
    assert said == "hello" + following("hello")
    fork = runner.fork()
    assert runner.generate_text("?", CONFIG) == following(said + "?")
    assert fork.generate_text("!", CONFIG) == following(said + "!")
    runner.seek(5)
    assert runner.generate_text("?", CONFIG) == following("hello?")
    fork.save_session(path)
    other = make()
    other.restore_session(path)
    words = said + "!" + following(said + "!") + "more"
    assert other.generate_text("more", CONFIG) == following(words)


def test_methods_that_are_not_there_are_named(directory):
    paths = str(directory / "methods.pte"), str(directory / "tokenizer.json")
    for names in ({}, {"method_name": "step", "prefill_method_name": "none"}):
        with pytest.raises(ExecuTorchError, match=r"no method (forward|none)"):
            TextLLMRunner(*paths, **names)
