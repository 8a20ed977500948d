"""Finds what C and C++ files include from other libraries."""

from __future__ import annotations

import pathlib
import re

from executorch.tests.architecture.edges import Table, Violation, source_files

SUFFIXES = (".h", ".hpp", ".inl", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm")

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*(?:include|import)[ \t]*[<"](?P<target>[^>"]+)[>"]', re.MULTILINE)
_PREFIX = "executorch/"


def includes(root: pathlib.Path, path: str) -> list[tuple[int, str]]:
    """(line, path of the target relative to the root) for each include of the project's own headers."""
    text = (root / path).read_text(errors="replace")
    here = pathlib.PurePosixPath(path).parent
    found = []
    for match in _INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        target = match["target"]
        if target.startswith(_PREFIX):
            found.append((line, target[len(_PREFIX) :]))
        elif (root / here / target).is_file() or ".." in target.split("/"):
            # Relative includes hide an edge from readers; resolve them so that none escapes the check.
            resolved = pathlib.PurePosixPath(_normalise(here / target))
            found.append((line, str(resolved)))
    return found


def _normalise(path: pathlib.PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def violations(root: pathlib.Path, table: Table) -> list[Violation]:
    """Includes below ``root`` that the table does not allow."""
    return [
        Violation(path, line, "cc", table.row(path) or "?", table.row(target) or target)
        for path in source_files(root, SUFFIXES)
        for line, target in includes(root, path)
        if not table.permits(path, target, "cc")
    ]
