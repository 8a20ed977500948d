"""Answers that match a pattern or a JSON schema, of models that would say something else."""

from __future__ import annotations

import json
import pathlib
import re

import pytest

from executorch.exir import to_edge
from executorch.extension.llm.runner import GenerationConfig, TextLLMRunner
from executorch.extension.llm.runner.models_for_tests import (
    CACHE_CONSTANTS,
    exported_sum,
    exported_sum_of_all,
    tokenizer_json,
)
from executorch.runtime import ExecuTorchError

SCHEMA = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "kind": {"enum": ["a", "bc", 7]},
        "n": {"type": "array", "items": {"enum": [1, 22]}, "maxItems": 2},
    },
    "required": ["ok", "kind"],
}


def config(**options) -> GenerationConfig:
    return GenerationConfig(**{"echo": False, "temperature": 0.0, "max_new_tokens": 40, **options})


@pytest.fixture(scope="module")
def directory(tmp_path_factory) -> pathlib.Path:
    made = tmp_path_factory.mktemp("model")
    for name, exported in (("sum", exported_sum()), ("all", exported_sum_of_all())):
        program = to_edge(exported, constant_methods=CACHE_CONSTANTS).to_executorch()
        (made / f"{name}.pte").write_bytes(program.buffer)
    (made / "tokenizer.json").write_text(tokenizer_json())
    return made


@pytest.fixture
def runner(directory) -> TextLLMRunner:
    return TextLLMRunner(str(directory / "sum.pte"), str(directory / "tokenizer.json"))


def test_the_most_probable_text_that_matches(runner):
    free = runner.generate_text("hello", config(max_new_tokens=6))
    assert re.fullmatch("[a-z]{6}", free)
    runner.reset()
    assert runner.generate_text("hello", config(pattern="[a-z]{6}")) == free
    runner.reset()
    assert runner.generate_text("hello", config(pattern="[0-9]{3}-x")) == "000-x"
    # The next answer is free again, and one that is cut off is a beginning.
    assert re.fullmatch("[a-z]{6}", runner.generate_text("!", config(max_new_tokens=6)))
    assert runner.generate_text("!", config(pattern="never mind", max_new_tokens=5)) == "never"


@pytest.mark.parametrize("seed", range(1, 9))
def test_random_texts_fit_their_schema(runner, seed):
    options = {
        "temperature": 30.0,
        "top_p": 1.0,
        "seed": seed,
        "json_schema": json.dumps(SCHEMA),
        "max_new_tokens": 46,
    }
    said = json.loads(runner.generate_text("x", config(**options)))
    assert isinstance(said["ok"], bool) and said["kind"] in ("a", "bc", 7)
    assert set(said) <= set(SCHEMA["properties"]) and len(said.get("n", [])) <= 2


def test_a_draft_model_changes_nothing(directory, runner):
    paths = str(directory / "all.pte"), str(directory / "tokenizer.json")
    helped = TextLLMRunner(*paths, draft_path=str(directory / "sum.pte"))
    for pattern in ("[a-m]{9}", "[0-9a-f]+(?:x|yz){3}"):
        said = config(pattern=pattern, max_new_tokens=12)
        assert helped.generate_text("hello", said) == runner.generate_text("hello", said)


def test_what_is_no_pattern_is_refused(runner):
    for options, words in (
        ({"pattern": "(a"}, "a group does not end"),
        ({"json_schema": "{"}, "no JSON"),
        ({"json_schema": '{"type": "integer", "minimum": 1}'}, "minimum is not known"),
        ({"json_schema": '{"type": "null"}', "pattern": "a"}, "both are given"),
    ):
        with pytest.raises(ExecuTorchError, match=words):
            runner.generate_text("x", config(**options))
    with pytest.raises(TypeError, match=r"'pattern' is a str, not a"):
        config(pattern=3)
    assert config(pattern="a").pattern == "a"
