"""llama_main answers, chats, and says what is wrong with its flags."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest

from executorch.exir import to_edge
from executorch.extension.llm.runner.models_for_tests import CONSTANTS, exported_successor, tokenizer_json

_PROGRAM = pathlib.Path(__file__).absolute().parent / "llama_main"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("model")
    program = to_edge(exported_successor(), constant_methods=CONSTANTS).to_executorch()
    (directory / "model.pte").write_bytes(program.buffer)
    (directory / "tokenizer.json").write_text(tokenizer_json())
    return [f"--model_path={directory / 'model.pte'}", "--tokenizer_path", str(directory / "tokenizer.json")]


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_PROGRAM, *arguments], input=text, capture_output=True, text=True, env=dict(os.environ)
    )


def test_it_goes_on_from_a_prompt(files):
    done = run(
        *files, "--prompt=ab", "--temperature", "0", "--max_new_tokens=4", "--warmup", "--cpu_threads=1"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "abcdef"
    figures = next(line for line in lines if line.startswith("PyTorchObserver "))
    assert json.loads(figures.removeprefix("PyTorchObserver "))["generated_tokens"] == 4


def test_a_method_of_several_answers(files, tmp_path):
    methods = {"one": exported_successor(), "other": exported_successor()}
    path = tmp_path / "model.pte"
    path.write_bytes(to_edge(methods, constant_methods=CONSTANTS).to_executorch().buffer)
    arguments = [f"--model_path={path}", *files[1:], "--prompt=ab", "--temperature=0", "--max_new_tokens=4"]
    done = run(*arguments, "--method_name=other")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "abcdef"
    done = run(*arguments)
    assert done.returncode == 1
    assert "no method forward" in done.stderr


def test_it_chats(files):
    done = run(
        *files,
        "--chat",
        "--chat_template=plain",
        "--temperature=0",
        "--max_new_tokens=3",
        text="ab\n/reset\nxy\n",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "> cde\n> \n> z{|\n> \n"


def test_what_is_wrong_is_said(files):
    for arguments, words in [
        (["--nonsense"], "unknown flag --nonsense"),
        (["--temperature=hot"], "--temperature takes NUMBER, found 'hot'"),
        (["--chat_template=none"], "--chat_template takes llama3|chatml|gemma|plain"),
        (["--model_path=nowhere", *files[1:]], "nowhere cannot be loaded"),
        ([files[0], "--tokenizer_path=nowhere"], "nowhere cannot be loaded"),
    ]:
        done = run(*arguments)
        assert done.returncode != 0 and words in done.stderr
    assert "--seq_len=COUNT" in run("--help").stdout
