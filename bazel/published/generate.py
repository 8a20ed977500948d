"""Writes the modules that only hand on names: generate.py TABLE.bzl... PATH=FILE...

Without Bazel, into a directory that Python looks into: ``python3 bazel/published/generate.py bazel/published/*.bzl --below DIRECTORY``.
What a table looks like is described in README.md.
"""

from __future__ import annotations

import ast
import pathlib
import sys
from collections.abc import Iterable, Mapping

#: Module that names come from, :data:`HERE` or :data:`PUBLISHED`, to the names, separated by white space.
Row = Mapping[str, str]

#: In place of a module: the module stands in the sources, where it is published.
HERE = "here"

#: In place of a module: the one in the library's room for published names that has the path of this one there.
PUBLISHED = "published"

#: Longest line of what is written.
_WIDTH = 110


def load(root: pathlib.Path) -> dict[str, Row]:
    """The table of a checkout: path of a module, without its suffix, to what it hands on."""
    return _read(sorted((root / "bazel" / "published").glob("*_names.bzl")))


def _read(files: Iterable[pathlib.Path]) -> dict[str, Row]:
    """One table of all the files, each of which is one assignment.

    Raises:
        ValueError: two files have the same row, or one has them out of order.
    """
    table: dict[str, Row] = {}
    for file in files:
        (value,) = (node.value for node in ast.parse(file.read_text()).body if isinstance(node, ast.Assign))
        rows = ast.literal_eval(value)
        if again := rows.keys() & table.keys():
            raise ValueError(f"{file.name} has rows that another file has: {', '.join(sorted(again))}")
        if list(rows) != sorted(rows):
            raise ValueError(f"{file.name}: rows are sorted by path")
        table |= rows
    return table


def module_name(path: str) -> str:
    """The name under which the module of a row is imported."""
    return "executorch." + path.removesuffix("/__init__").replace("/", ".")


def names(row: Row) -> list[str]:
    """What a row publishes, without what ``*`` stands for, and without a ``__getattr__`` that makes further names."""
    words = (word for words in row.values() for word in words.split())
    return [word.split("=")[0] for word in words if word not in ("*", "__getattr__")]


def is_written(row: Row) -> bool:
    """Whether the module is made at build time."""
    return HERE not in row


def source(path: str, key: str) -> str:
    """The name of the module that a key of a row stands for."""
    if key == HERE:
        return module_name(path)
    if key != PUBLISHED:
        return key
    parts = path.split("/")
    depth = 2 if parts[0] == "backends" else 1
    return module_name("/".join([*parts[:depth], PUBLISHED, *parts[depth:]]))


def modules_of(package: str, table: Mapping[str, Row]) -> list[str]:
    """The modules right below a package, itself a row of the table, as far as the table knows them."""
    above = package.removesuffix("__init__")
    below = {path.removeprefix(above).split("/")[0] for path in table if path.startswith(above)}
    return sorted(below - {"__init__"})


def render(path: str, table: Mapping[str, Row]) -> str:
    """The text of the module of a row.

    Raises:
        KeyError: the table has no such row.
    """
    row = table[path]
    below = modules_of(path, table) if path.endswith("/__init__") else []
    blocks = [f'"""Published names; made from bazel/published, row {path}."""']
    if below:
        blocks.append("import importlib\nimport types")
    imports = sorted(_import(source(path, key), words.split()) for key, words in row.items())
    if imports:
        blocks.append("\n".join(imports))
    blocks.append(_listing("__all__ = [", names(row), "]"))
    if below:
        blocks += [_listing("_MODULES = frozenset([", below, "])"), _GETATTR]
    if "main" in names(row):
        blocks.append('if __name__ == "__main__":\n    main()')
    return "\n\n".join(blocks) + "\n"


#: A package's modules as its attributes, without an import of one's own.
_GETATTR = """
def __getattr__(name: str) -> types.ModuleType:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")"""


def _import(module: str, words: list[str]) -> str:
    imported = []
    for word in words:
        published, _, ours = word.partition("=")
        imported.append(f"{ours} as {published}" if ours else word)
    star = [f"from {module} import *"] if "*" in imported else []
    imported = [one for one in imported if one != "*"]
    line = f"from {module} import {', '.join(imported)}"
    if len(line) > _WIDTH:
        line = "\n".join([f"from {module} import (", *(f"    {one}," for one in imported), ")"])
    return "\n".join([*star, *([line] if imported else [])])


def _listing(start: str, values: list[str], end: str) -> str:
    line = start + ", ".join(f'"{value}"' for value in values) + end
    if len(line) <= _WIDTH:
        return line
    return "\n".join([start, *(f'    "{value}",' for value in values), end])


def main(arguments: list[str]) -> None:
    tables = [pathlib.Path(argument) for argument in arguments if argument.endswith("_names.bzl")]
    table = _read(tables)
    if "--below" in arguments:
        below = arguments[arguments.index("--below") + 1]
        files = {path: f"{below}/{path}.py" for path, row in table.items() if is_written(row)}
    else:
        files = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    for path, file in files.items():
        pathlib.Path(file).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(file).write_text(render(path, table))


if __name__ == "__main__":
    main(sys.argv[1:])
