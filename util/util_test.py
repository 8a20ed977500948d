"""The environment report and the flame graph."""

from importlib import metadata

import pytest

from executorch.util import collect_env
from executorch.util.python_profiler import CProfilerFlameGraph


class _Distribution:
    def __init__(self, name, version):
        self.metadata = {"Name": name}
        self.version = version


def test_the_report_names_the_libraries_below_what_torch_reports(monkeypatch):
    installed = [
        _Distribution("executorch_exir", "1.2"),
        _Distribution("numpy", "2"),
        _Distribution(None, "0"),
    ]
    monkeypatch.setattr(metadata, "distributions", lambda: installed)
    monkeypatch.setattr(collect_env._torch, "pretty_str", lambda info: f"about {info}")
    report = collect_env.pretty_str("this machine")
    assert report == "about this machine\n\nExecuTorch libraries:\n[executorch-exir] 1.2"


def test_the_names_of_torchs_report_are_here_too():
    assert collect_env.run_and_return_first_line(lambda command: (0, "one\ntwo", ""), "anything") == "one"
    assert "torch_version" in collect_env.SystemEnv._fields


def _leaf():
    return sum(number * number for number in range(200_000))


def _root():
    return _leaf()


def test_a_flame_graph_nests_functions_below_their_callers(tmp_path):
    page = tmp_path / "profile.html"
    with CProfilerFlameGraph(str(page)):
        _root()
    text = page.read_text()
    assert text.index(">_root<") < text.index(">_leaf<") < text.index("&lt;genexpr&gt;")
    assert "http" not in text


def test_nothing_is_written_of_a_body_that_fails(tmp_path):
    page = tmp_path / "profile.html"
    with pytest.raises(RuntimeError, match="broken"), CProfilerFlameGraph(str(page)):
        raise RuntimeError("broken")
    assert not page.exists()


def test_the_file_must_be_a_page():
    with pytest.raises(ValueError, match=r"should end in \.html"):
        CProfilerFlameGraph("profile.json")
