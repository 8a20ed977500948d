"""The example of the README runs as it stands."""

import pathlib
import re


def test_the_example_runs(capsys):
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    output = capsys.readouterr().out
    assert "aten.linear" in output and "batch_norm" not in output
