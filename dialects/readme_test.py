"""The example of the README runs as it stands."""

import pathlib
import re


def test_the_example_runs(capsys, tmp_path, monkeypatch):
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    assert capsys.readouterr().out.splitlines() == [
        "aten::sigmoid(Tensor self) -> Tensor",
        "True",
        "aten.sigmoid.out",
        "(0, 2, 3, 1) 768",
    ]
