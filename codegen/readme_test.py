"""The README's example runs."""

import pathlib
import re


def test_example(tmp_path, monkeypatch, capsys):
    text = pathlib.Path(__file__).with_name("README.md").read_text()
    monkeypatch.chdir(tmp_path)
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, "README.md", "exec"), {})
    assert "aten::mm.out:\n  - default" in capsys.readouterr().out
