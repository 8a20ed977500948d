"""The report over a small tree, and what it counts."""

import json

import pytest

from executorch.tests.architecture import measures, report

EDGES = 'EDGES = {\n    "passes": {"py": ["dialects"], "cc": []},\n    "dialects": {"py": [], "cc": []},\n}\n'
FILES = {
    "bazel/edges.bzl": "\n" + EDGES,
    "dialects/a.py": "def clone_program(p):\n    return p\n",
    "dialects/b.py": "from executorch.dialects import c\n",
    "dialects/c.py": "from executorch.dialects import b\n",
    "dialects/a_test.py": "x = 1\n" * 1000,
    "passes/__init__.py": '"""Public face."""\nfrom executorch.passes.a import copy_program\n',
    "passes/a.py": "from executorch.dialects import a\ndef copy_program(p):\n" + "    p()\n" * 50,
    "passes/old.py": '"""Documented path."""\nfrom executorch.passes.a import copy_program\n__all__ = ["copy_program"]\n',
    "bazel/published/p_names.bzl": 'P = {\n    "passes/older": {"executorch.passes.a": "copy_program"},\n}\n',
    "passes/published/b.py": "def clone_program(p):\n    return p\n",
}


@pytest.fixture
def tree(tmp_path):
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def test_the_figures(tree):
    lines, figures = report.report(tree)
    assert figures == {
        "circles": 1,
        "concepts_defined_twice": ["program clone"],
        "pipeline_lines": 2 + 1 + 1 + 2 + 52,
        "published_lines": 3 + 2,
        "published_table_lines": 3,
        "files_over_400": 1,
        "functions_over_50": 1,
    }
    text = "\n".join(lines)
    assert "1 modules that only hand on names are made from a table of 3 lines" in text
    assert "passes -> dialects" in text
    assert "2 modules: dialects.b:1 -> dialects.c:1 -> dialects.b" in text
    assert "dialects/a.py:1 clone_program" in text and "passes/a.py:2 copy_program" in text
    assert "1000 dialects/a_test.py" in text and "51 passes/a.py:2 copy_program" in text


def test_the_last_line_is_the_result(tree, monkeypatch, capsys):
    monkeypatch.setenv("BUILD_WORKSPACE_DIRECTORY", str(tree))
    assert report.main() == 0
    name, _, figures = capsys.readouterr().out.splitlines()[-1].partition(" ")
    assert name == "RESULT" and json.loads(figures)["circles"] == 1


ROOMS = {
    "re-exports": ('"""Documented path."""\nfrom a import b\n\n__all__ = ["b"]\n', True),
    "lazy": ('"""Rooms."""\nfrom a import getter\n\n__getattr__ = getter(__name__, "b c")\n', True),
    "defines": ("from a import b\n\ndef c():\n    return b\n", False),
    "a value": ("from a import b\n\nC = b\n", False),
    "empty package": ('"""A package."""\n', False),
}


@pytest.mark.parametrize(("text", "expected"), ROOMS.values(), ids=ROOMS.keys())
def test_what_a_room_for_published_names_is(text, expected):
    assert measures.is_published_room("exir/a.py", text) is expected
    assert measures.is_published_room("exir/published/a.py", text)
    assert measures.is_published_room("exir/published_names.py", text)
