"""The example of the README runs as it stands, and what it shows further works on what it makes."""

import pathlib
import re

import pytest

from executorch.devtools import parse_etrecord
from executorch.devtools.bundled_program.serialize import deserialize_from_flatbuffer_to_bundled_program


def test_the_example_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert set(parse_etrecord("model.etrecord").edge_programs()) == {"forward"}
    bundle = deserialize_from_flatbuffer_to_bundled_program(pathlib.Path("model.bpte").read_bytes())
    assert bundle.method_test_suites[0].method_name == "forward"
