"""The example of the README runs as it stands."""

import pathlib
import re


def test_the_example_runs(capsys, tmp_path, monkeypatch):
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    output = capsys.readouterr().out
    assert "Number of non-delegated nodes: 3" in output and "{'forward'}" in output
    assert (tmp_path / "model.pte").read_bytes()[4:8] == b"ET12"
