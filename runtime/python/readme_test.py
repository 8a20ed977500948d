"""The example of the README runs as it stands."""

import pathlib
import re
import sys

import pytest

from executorch.runtime.python.programs_for_tests import AddProgram


def test_the_example_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.chdir(tmp_path)
    pathlib.Path("model.pte").write_bytes(AddProgram().build())
    text = pathlib.Path(__file__).with_name("README.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec"), names)
    assert (names["output"] == 2).all()  # type: ignore[attr-defined]
    assert "expected 2 input(s), found 1" in capsys.readouterr().out
