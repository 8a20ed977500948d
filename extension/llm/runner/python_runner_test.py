"""executorch.extension.llm.runner on a program of a page, with a tokenizer of bytes."""

from __future__ import annotations

import json
import threading

import pytest

from executorch.exir import to_edge
from executorch.extension.llm.runner import GenerationConfig, Stats, TextLLMRunner
from executorch.extension.llm.runner.models_for_tests import (
    CONSTANTS,
    VOCABULARY,
    exported_successor,
    tokenizer_json,
)
from executorch.runtime import ExecuTorchError


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("model")
    program = to_edge(exported_successor(), constant_methods=CONSTANTS).to_executorch()
    (directory / "model.pte").write_bytes(program.buffer)
    (directory / "tokenizer.json").write_text(tokenizer_json())
    return str(directory / "model.pte"), str(directory / "tokenizer.json")


@pytest.fixture
def runner(files):
    return TextLLMRunner(*files)


GREEDY = GenerationConfig(echo=False, temperature=0.0, max_new_tokens=4)


def test_a_configuration_says_what_it_is():
    text = repr(GenerationConfig(echo=False, temperature=0.7, max_new_tokens=4, pattern="a'b"))
    assert text.startswith(
        "GenerationConfig(echo=False, max_new_tokens=4, warming=False, seq_len=-1, temperature=0.7, "
    )
    assert text.endswith("""pattern="a'b", json_schema='')""")


def test_text_comes_piece_by_piece(runner):
    assert not runner.is_loaded() and runner.get_vocab_size() == VOCABULARY
    pieces: list[str] = []
    figures: list[Stats] = []
    runner.generate("ab", GREEDY, pieces.append, figures.append)
    assert pieces == ["c", "d", "e", "f"] and runner.is_loaded()
    assert (figures[0].num_prompt_tokens, figures[0].num_generated_tokens) == (2, 4)
    assert json.loads(figures[0].to_json_string())["generated_tokens"] == 4
    ran = figures[0].model_execution_start_ms, figures[0].model_execution_end_ms
    assert figures[0].inference_start_ms <= ran[0] <= figures[0].prompt_eval_end_ms
    assert figures[0].first_token_ms <= ran[1] <= figures[0].inference_end_ms
    assert 0 <= figures[0].aggregate_model_execution_time_ms <= ran[1] - ran[0]
    assert runner.generate_text("xy", GREEDY) == "z{|}"
    assert list(runner.stream("ab", GREEDY)) == ["c", "d", "e", "f"]


def test_bytes_that_are_no_characters_are_replaced(runner):
    # What follows the last byte of this character are bytes that only go on with others.
    assert set(runner.generate_text("a\u0082", GREEDY)) == {"\ufffd"}


def test_a_text_ends(runner):
    config = GenerationConfig(echo=True, temperature=0.0, max_new_tokens=9)
    assert runner.generate_text("yz", config).startswith("yz{|}")


def test_how_tokens_are_chosen(runner):
    config = GenerationConfig(echo=False, temperature=8.0, max_new_tokens=20, seed=11)
    answers = [runner.generate_text("ab", config) for _ in range(2)]
    assert answers[0] == answers[1]
    config.top_k = 1
    assert runner.generate_text("ab", config).startswith("cdefg")
    assert config.resolve_max_new_tokens(16, 4) == 12


def test_a_callback_ends_the_run(runner):
    def refuse(piece):
        raise KeyError(piece)

    with pytest.raises(KeyError, match="c"):
        runner.generate("ab", GREEDY, refuse)
    stream = runner.stream("ab", GREEDY)
    assert next(stream) == "c"
    stream.close()
    assert runner.generate_text("ab", GREEDY) == "cdef"


def test_one_call_at_a_time(runner):
    begun, go_on = threading.Event(), threading.Event()

    def wait(piece):
        begun.set()
        go_on.wait(60)

    thread = threading.Thread(target=runner.generate, args=("ab", GREEDY, wait))
    thread.start()
    assert begun.wait(60)
    with pytest.raises(ExecuTorchError, match="busy"):
        runner.generate("ab", GREEDY)
    go_on.set()
    thread.join()


def test_what_goes_wrong_is_said(files, runner, tmp_path):
    with pytest.raises(ExecuTorchError, match="nothing"):
        TextLLMRunner(files[0], str(tmp_path / "nothing"))
    with pytest.raises(ExecuTorchError, match="nothing"):
        TextLLMRunner(str(tmp_path / "nothing"), files[1])
    with pytest.raises(ExecuTorchError, match="leaves no room"):
        runner.generate("a" * 100, GREEDY)
