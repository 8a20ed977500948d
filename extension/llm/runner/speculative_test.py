"""A draft model changes how fast a model speaks, not what it says; whole programs, in the Python runner."""

from __future__ import annotations

import functools
import pathlib

import pytest

from executorch.exir import to_edge
from executorch.extension.llm.runner import GenerationConfig, Stats, TextLLMRunner
from executorch.extension.llm.runner.models_for_tests import (
    CACHE_CONSTANTS,
    CONSTANTS,
    answer_of_sum,
    exported_successor,
    exported_sum,
    exported_sum_of_all,
    tokenizer_json,
)
from executorch.runtime import ExecuTorchError

CONFIG = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=9)
following = functools.partial(answer_of_sum, count=9)


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("model")
    programs = {
        "all": to_edge(exported_sum_of_all(), constant_methods=CACHE_CONSTANTS),
        "sum": to_edge(exported_sum(), constant_methods=CACHE_CONSTANTS),
        "forgetful": to_edge(exported_sum(places=12), constant_methods=CACHE_CONSTANTS),
        "plain": to_edge(exported_successor(), constant_methods=CONSTANTS),
    }
    for name, program in programs.items():
        (made / f"{name}.pte").write_bytes(program.to_executorch().buffer)
    (made / "tokenizer.json").write_text(tokenizer_json())
    return made


@pytest.fixture
def make(directory):
    def runner(model: str, draft: str | None = None, **options) -> TextLLMRunner:
        path = None if draft is None else str(directory / f"{draft}.pte")
        tokenizer = str(directory / "tokenizer.json")
        return TextLLMRunner(str(directory / f"{model}.pte"), tokenizer, draft_path=path, **options)

    return runner


@pytest.mark.parametrize("count", [1, 3, 15, 99])
@pytest.mark.parametrize("draft", ["sum", "forgetful", "all"])
def test_it_says_what_it_says_alone(make, draft, count):
    runner = make("all", draft, num_draft_tokens=count)
    first = runner.generate_text("hello", CONFIG)
    assert first == following("hello")
    second = runner.generate_text(" you", CONFIG)
    assert second == following("hello" + first + " you")
    other = runner.fork()
    runner.seek(5)
    assert runner.generate_text("!", CONFIG) == following("hello!")
    assert other.generate_text("?", CONFIG) == following("hello" + first + " you" + second + "?")
    runner.reset()
    assert runner.generate_text("hello", CONFIG) == first
    seen: list[Stats] = []
    runner.generate("", CONFIG, None, seen.append)
    assert seen[0].num_generated_tokens == 9


def test_random_choices_are_the_same(make):
    config = GenerationConfig(echo=False, temperature=6.0, seed=11, max_new_tokens=12, top_p=1.0)
    alone = make("all").generate_text("hello", config)
    assert make("all", "sum").generate_text("hello", config) == alone


def test_what_does_not_go_together_is_refused(make):
    with pytest.raises(ExecuTorchError, match="generate_full_logits"):
        make("sum", "sum").generate_text("hello", CONFIG)
    for model, draft in (("plain", "sum"), ("all", "plain")):
        with pytest.raises(ExecuTorchError, match="with a cache"):
            make(model, draft)
    with pytest.raises(ExecuTorchError, match="at least one token"):
        make("all", "sum", num_draft_tokens=0)
    with pytest.raises(ExecuTorchError, match=r"nowhere\.pte"):
        make("all", "nowhere")
