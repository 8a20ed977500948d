"""Reads libraries.bzl: which libraries there are, and what each ships as."""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterable


def load(root: pathlib.Path) -> dict[str, list[str]]:
    """Directory of each library -> "wheel", "dist" or both."""
    tree = ast.parse((root / "bazel" / "release" / "libraries.bzl").read_text())
    (value,) = (node.value for node in tree.body if isinstance(node, ast.Assign))
    return ast.literal_eval(value)


def labels(root: pathlib.Path, libraries: Iterable[str]) -> list[str]:
    """What the libraries ship as.

    Raises:
        KeyError: there is no such library; the text names those there are.
    """
    table = load(root)
    found = []
    for library in libraries:
        if library not in table:
            raise KeyError(f"there is no library '{library}', only {', '.join(table)}")
        found += [f"//{library}:{kind}" for kind in table[library]]
    return found
