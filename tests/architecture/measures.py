"""What the report counts in sources: lines, long files, long functions."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

from executorch.tests.architecture import generated
from executorch.tests.architecture.edges import is_test, source_files

#: The libraries that a model passes through, ahead of time.
PIPELINE = ("ir", "dialects", "passes", "partitioner", "memory_planning", "emitter", "exir")

LONG_FILE = 400
LONG_FUNCTION = 50

_SOURCES = (".py", ".bzl", ".h", ".hpp", ".inl", ".c", ".cc", ".cpp", ".m", ".mm")


@dataclass(frozen=True)
class Long:
    """A file or a function with its number of lines."""

    where: str
    lines: int

    def __str__(self) -> str:
        return f"{self.lines:5} {self.where}"


def is_production(path: str) -> bool:
    """Whether a file is neither a test nor there only for tests."""
    name = path.rsplit("/", 1)[-1]
    return not is_test(path) and name not in ("testing.py", "conftest.py")


def is_published_room(path: str, text: str) -> bool:
    """Whether a Python file is there only for names that published code uses.

    That is a file of a directory or module called ``published``, and one that defines nothing: a docstring, imports, and
    which of the imported names it offers, or a ``__getattr__`` that imports when asked. What the build makes from the table
    of published names is nobody's file, and not counted; :func:`table_of_published_names` counts the table.
    """
    *directories, name = path.split("/")
    if "published" in directories or name.startswith("published"):
        return True
    body = ast.parse(text, path).body
    return len(body) > 1 and all(_offers(statement) for statement in body)


def _offers(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.FunctionDef):
        return statement.name == "__getattr__"
    if isinstance(statement, ast.Assign):
        names = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        return names <= {"__all__", "__getattr__"} and bool(names)
    return False


def lines_of_the_pipeline(root: pathlib.Path) -> tuple[int, int]:
    """Lines of the pipeline's production Python: of what does the work, and of rooms for published names.

    A package's ``__init__`` at the top of a library is its public face, and counts as work.
    """
    work = published = 0
    for path in source_files(root, (".py",)):
        library = path.split("/")[0]
        if library not in PIPELINE or not is_production(path):
            continue
        text = (root / path).read_text()
        lines = text.count("\n")
        if path != f"{library}/__init__.py" and is_published_room(path, text):
            published += lines
        else:
            work += lines
    return work, published


def table_of_published_names(root: pathlib.Path) -> tuple[int, int]:
    """Modules that the build makes from the table of published names, and lines of the table."""
    files = (root / "bazel" / "published").glob("*_names.bzl")
    return len(generated.modules(root)), sum(file.read_text().count("\n") for file in files)


def long_files(root: pathlib.Path) -> list[Long]:
    """Sources of more than :data:`LONG_FILE` lines, tests too, longest first."""
    sizes = (
        Long(path, (root / path).read_text(errors="replace").count("\n"))
        for path in source_files(root, _SOURCES, free=True)
    )
    return sorted((one for one in sizes if one.lines > LONG_FILE), key=lambda one: (-one.lines, one.where))


def long_functions(root: pathlib.Path) -> list[Long]:
    """Python functions of more than :data:`LONG_FUNCTION` lines, tests too, longest first."""
    found = [
        Long(f"{path}:{line} {name}", lines)
        for path in source_files(root, (".py",), free=True)
        for line, name, lines in functions(path, (root / path).read_text())
        if lines > LONG_FUNCTION
    ]
    return sorted(found, key=lambda one: (-one.lines, one.where))


def functions(path: str, text: str) -> Iterator[tuple[int, str, int]]:
    """(line, name, number of lines from ``def`` to the end) of each function in a file."""
    for node in ast.walk(ast.parse(text, path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.name, (node.end_lineno or node.lineno) - node.lineno + 1
