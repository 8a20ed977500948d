"""Modules that only hand on names, from rows of a table."""

import ast
import importlib
import runpy
import sys

import pytest

from executorch.bazel.published import generate

TABLE = {
    "lib/__init__": {"here": "a"},
    "lib/old/__init__": {},
    "lib/old/a": {"json": "loads read=load", "executorch.lib.b": "*"},
    "lib/old/b/__init__": {"math": "pi"},
    "lib/old/b/c": {"published": "f __getattr__"},
    "backends/x/old": {"published": "g"},
}


def test_a_row_becomes_a_module():
    text = generate.render("lib/old/a", TABLE)
    assert text.splitlines()[2:] == [
        "from executorch.lib.b import *",
        "from json import loads, load as read",
        "",
        '__all__ = ["loads", "read"]',
    ]
    assert "row lib/old/a" in ast.get_docstring(ast.parse(text))


def test_a_module_with_a_main_is_a_command(tmp_path, capsys):
    file = tmp_path / "command.py"
    file.write_text(generate.render("lib/command", {"lib/command": {"builtins": "main=print"}}))
    runpy.run_path(str(file))
    assert capsys.readouterr().out == ""
    runpy.run_path(str(file), run_name="__main__")
    assert capsys.readouterr().out == "\n"


def test_a_long_row_is_wrapped():
    names = [f"a_name_of_some_length_{index}" for index in range(20)]
    text = generate.render("lib/old/a", {"lib/old/a": {"json": " ".join(names)}})
    assert max(map(len, text.splitlines())) < 110
    assert [alias.name for alias in ast.parse(text).body[1].names] == names


def test_code_that_is_there_for_its_name_stands_in_the_librarys_room():
    assert generate.source("lib/old/b/c", "published") == "executorch.lib.published.old.b.c"
    assert generate.source("backends/x/old", "published") == "executorch.backends.x.published.old"
    assert generate.source("lib/__init__", "here") == "executorch.lib"
    assert generate.names(TABLE["lib/old/b/c"]) == ["f"]


def test_a_package_knows_its_modules():
    assert generate.modules_of("lib/old/__init__", TABLE) == ["a", "b"]
    assert generate.modules_of("lib/old/b/__init__", TABLE) == ["c"]


def test_a_package_imports_its_modules_when_asked(tmp_path, monkeypatch):
    table = {
        "lib_of_generate_test/__init__": {"math": "pi"},
        "lib_of_generate_test/a": {"json": "read=load"},
    }
    for path in table:
        file = tmp_path / f"{path}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text(generate.render(path, table))
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("lib_of_generate_test")
    assert "lib_of_generate_test.a" not in sys.modules
    assert package.pi and package.a.read and not hasattr(package, "nothing")


def write(root, **files):
    (root / "bazel" / "published").mkdir(parents=True)
    for name, text in files.items():
        (root / "bazel" / "published" / f"{name}_names.bzl").write_text(text)


def test_files_are_one_table(tmp_path):
    write(tmp_path, a='"""A."""\n\nA = {"a/b": {"json": "loads"}}\n', b='B = {"b": {}}\n')
    assert generate.load(tmp_path) == {"a/b": {"json": "loads"}, "b": {}}


def test_a_row_stands_once(tmp_path):
    write(tmp_path, a='A = {"a": {}}\n', b='B = {"a": {}}\n')
    with pytest.raises(ValueError, match=r"b_names\.bzl has rows that another file has: a"):
        generate.load(tmp_path)


def test_rows_are_in_order(tmp_path):
    write(tmp_path, a='A = {"b": {}, "a": {}}\n')
    with pytest.raises(ValueError, match=r"a_names\.bzl: rows are sorted by path"):
        generate.load(tmp_path)


def test_what_is_written(tmp_path):
    write(tmp_path, a='A = {"lib/a": {"json": "loads"}, "lib/b": {"here": "f"}}\n')
    table = str(tmp_path / "bazel" / "published" / "a_names.bzl")
    generate.main([table, "--below", str(tmp_path / "out")])
    assert [path.name for path in (tmp_path / "out" / "lib").iterdir()] == ["a.py"]
    generate.main([table, f"lib/a={tmp_path}/one.py"])
    assert (tmp_path / "one.py").read_text() == (tmp_path / "out" / "lib" / "a.py").read_text()
