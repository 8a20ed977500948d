"""The examples of the README run as they stand, and what they show further works on what they make."""

import pathlib
import re

import pytest

from executorch.devtools import parse_etrecord
from executorch.devtools.bundled_program.serialize import deserialize_from_flatbuffer_to_bundled_program


def test_the_examples_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "readme"}
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    assert all(line.removeprefix("# ") in printed for line in text.splitlines() if line.startswith("# l"))
    assert names["table"]["node_name"].tolist() == ["linear"]
    assert set(parse_etrecord("model.etrecord").edge_programs()) == {"forward"}
    bundle = deserialize_from_flatbuffer_to_bundled_program(pathlib.Path("model.bpte").read_bytes())
    assert bundle.method_test_suites[0].method_name == "forward"
