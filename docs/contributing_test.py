"""The files of the pages about contributing work: written beside the tree's own, their tests pass and their kernel registers."""

import importlib
import pathlib
import re
import sys

import pytest
import yaml

from executorch.kernels.codegen.functions import load_functions, load_schemas
from executorch.kernels.codegen.render import native_functions_header

PAGES = pathlib.Path(__file__).with_name("contributing")
FILE = re.compile(r"^`([\w/]+\.(?:py|cc))`:\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
ADDED = re.compile(r"^\+(.*)$", re.MULTILINE)


def files(page):
    return dict(FILE.findall((PAGES / f"{page}.md").read_text()))


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """Writes the pages' Python into packages of the same names, which the tree's packages then have as well."""
    known = set(sys.modules)
    for page in ("operator", "pass", "backend"):
        for path, text in files(page).items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
    for library in ("dialects", "passes", "backends"):
        package = importlib.import_module(f"executorch.{library}")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / library)])
    yield tmp_path
    for name in set(sys.modules) - known:
        if "swap" in name:
            del sys.modules[name]


def test_the_files_work_in_the_tree(beside):
    tests = sorted(map(str, beside.rglob("*_test.py")))
    assert len(tests) == 3
    assert pytest.main(["-q", "-p", "no:cacheprovider", "--import-mode=importlib", *tests]) == 0


def test_the_kernel_is_what_its_entry_declares(tmp_path):
    page = (PAGES / "kernel.md").read_text()
    written = files("kernel")
    source = written["kernels/portable/cpu/op_swap_halves.cc"]
    compile(written["kernels/portable/cpu/op_swap_halves_test.py"], "op_swap_halves_test.py", "exec")
    added = "\n".join(ADDED.findall(page))
    entry = re.search(r"^- func: .*?kernel_name: \S+$", added, re.DOTALL | re.MULTILINE)[0]
    path = tmp_path / "functions.yaml"
    path.write_text(yaml.safe_dump(yaml.safe_load(entry)))
    declared = native_functions_header(load_functions(path, load_schemas()))
    (parameters,) = re.findall(
        r"swap_halves_out\((executorch::runtime::KernelRuntimeContext.*?)\);", declared
    )
    short = re.sub(r"executorch::(runtime|aten)::", "", parameters)
    (own,) = re.findall(r"swap_halves_out\((.*?)\)", source)
    types = [re.sub(r" ?\w+$", "", part) for part in own.split(", ")]
    assert types == [re.sub(r" ?\w+$", "", part) for part in short.split(", ")]
    # What else is touched is the paper on it.
    assert re.findall(r"^# (\S+)$", page, re.MULTILINE) == [
        "kernels/CHANGELOG.md",
        "kernels/portable/functions.yaml",
    ]


def test_every_page_says_what_was_tried():
    for page in PAGES.glob("*.md"):
        text = page.read_text()
        assert "**Stage.**" in text and "## Worked: " in text and "\nTried in a fresh clone: " in text, (
            page.name
        )
