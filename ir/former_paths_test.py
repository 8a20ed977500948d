"""A package that was divided into folders is found both ways."""

import importlib
import sys

import pytest

from executorch.ir.former_paths import keep_former_paths


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "divided_pkg" / "folder").mkdir(parents=True)
    (tmp_path / "divided_pkg" / "__init__.py").write_text("")
    (tmp_path / "divided_pkg" / "folder" / "module.py").write_text("class Thing: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    keep_former_paths("divided_pkg", ("other", "folder"))
    yield "divided_pkg"
    for name in [name for name in sys.modules if name.startswith("divided_pkg")]:
        del sys.modules[name]


@pytest.mark.parametrize("first", ["module", "folder.module"])
def test_both_paths_are_one_module(package, first):
    importlib.import_module(f"{package}.{first}")
    former = importlib.import_module(f"{package}.module")
    module = importlib.import_module(f"{package}.folder.module")
    assert former is module
    assert module.__name__ == module.__spec__.name == module.Thing.__module__ == f"{package}.folder.module"


def test_what_is_nowhere_is_not_found(package):
    with pytest.raises(ModuleNotFoundError, match=rf"{package}\.nothing"):
        importlib.import_module(f"{package}.nothing")
