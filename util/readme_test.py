"""The example of the README runs as it stands."""

import json
import pathlib
import re


def test_the_example_runs(tmp_path, monkeypatch):
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    events = json.loads((tmp_path / "memory_profile.json").read_text())["traceEvents"]
    assert {"aten.addmm.out", "aten.relu.out"} <= {event["args"]["op_name"] for event in events}
    assert any("in forward" in event["args"]["source"] for event in events)
