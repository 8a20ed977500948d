"""The edge table of the house, and the question every check asks of it: may this file use that directory?"""

from __future__ import annotations

import ast
import os
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

#: Directories whose files belong to no library; they may use everything.
FREE = frozenset(
    {"bazel", "docs", "examples", "test", "tests", "third-party", "toolchains", ".ci", ".git", ".github"}
)

_TEST_FILE = re.compile(r"(_test|_tests|^test_.*|^conftest|_for_tests)\.\w+$")
_TEST_DIRECTORIES = frozenset({"test", "tests", "testing"})
_KINDS = ("py", "cc")


@dataclass(frozen=True)
class Violation:
    """One use that the table does not allow; prints as ``file:line: what and why``."""

    path: str
    line: int
    kind: str
    row: str
    target: str

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: {self.row} has no {self.kind} edge to {self.target}. Way out: move the code "
            f"to where it belongs, or add the edge to bazel/edges.bzl if the design allows it."
        )


def load_edges(root: pathlib.Path) -> dict[str, dict[str, list[str]]]:
    """The table of ``root/bazel/edges.bzl``."""
    text = (root / "bazel" / "edges.bzl").read_text()
    return ast.literal_eval(text.split("\nEDGES = ", 1)[1])


def is_test(path: str) -> bool:
    """Whether a file (relative to the root) is a test or serves only tests."""
    parts = path.split("/")
    return bool(_TEST_FILE.search(parts[-1])) or not _TEST_DIRECTORIES.isdisjoint(parts[:-1])


def source_files(root: pathlib.Path, suffixes: tuple[str, ...], free: bool = False) -> Iterator[str]:
    """Files below ``root`` with one of ``suffixes``, relative, outside build output; with ``free``, in free directories too."""
    for directory, children, names in os.walk(root):
        relative = os.path.relpath(directory, root)
        at_top = relative == "."
        children[:] = sorted(
            child
            for child in children
            if not child.startswith(".")
            and child != "__pycache__"
            and not (at_top and ((child in FREE and not free) or child.startswith("bazel-")))
        )
        for name in sorted(names):
            if name.endswith(suffixes) and not at_top:
                yield f"{relative}/{name}"


def _backend(path: str) -> str | None:
    """The backend that a path belongs to: none may know another, unless its row names it."""
    parts = path.split("/")
    # What stands in backends/test is about several of them, and backends/transforms is there for all.
    shared = ("test", "transforms")
    return parts[1] if parts[0] == "backends" and len(parts) > 2 and parts[1] not in shared else None


class Table:
    """Answers questions about edges.

    Args:
        edges: as in ``bazel/edges.bzl``.
    """

    def __init__(self, edges: dict[str, dict[str, list[str]]]) -> None:
        self.edges = edges

    def row(self, path: str) -> str | None:
        """The longest row that is ``path`` or one of its parents, None when no row covers it."""
        parts = path.split("/")
        for end in range(len(parts), 0, -1):
            candidate = "/".join(parts[:end])
            if candidate in self.edges:
                return candidate
        return None

    def permits(self, path: str, target: str, kind: str, by_name: bool = False) -> bool:
        """Whether the file ``path`` may use the file or directory ``target`` in language ``kind``.

        Args:
            by_name: the use imports a module by its name, when somebody asks for what it offers.
        """
        own, other = self.row(path), self.row(target)
        if own is None or other is None:
            # No library uses a free directory; a file without a row is reported elsewhere.
            return own is None
        backends = _backend(path), _backend(target)
        if all(backends) and backends[0] != backends[1] and other not in self.edges[own][kind]:
            return False
        if own == other or (kind == "py" and own.split("/")[0] == other.split("/")[0]):
            return True
        allowed = set(self.edges[own][kind])
        if is_test(path):
            allowed |= set(self.edges[own].get("tests", ()))
        if by_name:
            allowed |= set(self.edges[own].get("by_name", ()))
        return any(self._covers(edge, other, own, kind) for edge in allowed)

    def _covers(self, edge: str, target_row: str, own: str, kind: str) -> bool:
        if edge == target_row:
            return True
        if not target_row.startswith(edge + "/"):
            return False
        library = own.split("/")[0]
        return not {own, library} & set(self.edges[target_row][kind]) or own == target_row

    def cycles(self, kind: str) -> list[str]:
        """Rows that can reach themselves over the edges of ``kind``; a room and its library count as two."""
        found = []
        for start in self.edges:
            seen: set[str] = set()
            queue = list(self.edges[start].get(kind, []))
            while queue:
                row = queue.pop()
                if row in seen:
                    continue
                seen.add(row)
                queue += self.edges.get(row, {}).get(kind, [])
            if start in seen:
                found.append(start)
        return found

    def problems(self) -> list[str]:
        """What is wrong with the table itself."""
        problems = []
        for row, edges in self.edges.items():
            for kind in _KINDS:
                if kind not in edges:
                    problems.append(f"{row}: no {kind} list")
            for edge in {e for kind in edges.values() for e in kind}:
                if edge not in self.edges:
                    problems.append(f"{row}: edge to {edge}, which has no row")
                if edge == row:
                    problems.append(f"{row}: edge to itself")
        for kind in _KINDS:
            problems += [f"{row}: is on a cycle of {kind} edges" for row in self.cycles(kind)]
        return problems
