"""Reads the edges of the BUILD graph from BUILD and .bzl files, without running Bazel.

BUILD files are Starlark, whose syntax is a subset of Python's, so Python's parser reads them. A label counts as
an edge wherever it stands in an attribute that makes one target part of another; conditions (`select`), sums and
comprehensions are looked into, because every string in them may become a dependency.
"""

from __future__ import annotations

import ast
import pathlib
from collections.abc import Iterator

from executorch.tests.architecture.edges import Table, Violation, source_files

_EDGE_ATTRIBUTES = frozenset(
    {"deps", "implementation_deps", "exports", "runtime_deps", "srcs", "hdrs", "textual_hdrs", "python", "cc"}
)
# What only tests and tools use is no edge of the library.
_DATA_RULES = ("filegroup", "exports_files", "package", "load", "alias", "test_suite", "genrule")


def _kind(rule: str) -> str:
    return (
        "cc"
        if rule.startswith("cc_") or "cc_" in rule or rule in ("objc_library", "pybind_extension")
        else "py"
    )


def _strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.lineno, child.value


def _labels(node: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, package) of every label of this repository."""
    for line, text in _strings(node):
        if text.startswith(("//", "@executorch//", "@//")):
            yield line, text.split("//", 1)[1].split(":")[0]


def _rule_name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _serves_tests(call: ast.Call, rule: str) -> bool:
    """Whether a target is a test, or Bazel lets only tests depend on it."""
    testonly = (keyword.value for keyword in call.keywords if keyword.arg == "testonly")
    return rule.endswith("_test") or any(isinstance(v, ast.Constant) and bool(v.value) for v in testonly)


def build_file_edges(root: pathlib.Path, path: str) -> list[tuple[int, str, str, bool]]:
    """(line, target package, kind, whether the target serves tests) for each edge that a BUILD file declares."""
    tree = ast.parse((root / path).read_text(), path)
    variables = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        rule = _rule_name(call)
        if rule in _DATA_RULES:
            continue
        for keyword in call.keywords:
            if keyword.arg not in _EDGE_ATTRIBUTES:
                continue
            names = [n.id for n in ast.walk(keyword.value) if isinstance(n, ast.Name) and n.id in variables]
            for node in (keyword.value, *(variables[name] for name in names)):
                for line, package in _labels(node):
                    found.append((line, package, _kind(rule), _serves_tests(call, rule)))
    return found


def bzl_labels(root: pathlib.Path, path: str) -> list[tuple[int, str]]:
    """(line, package) of the labels in a library's own .bzl file; its macros may put them into any target."""
    tree = ast.parse((root / path).read_text(), path)
    loads = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and _rule_name(node) == "load"}
    found: list[tuple[int, str]] = []
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and id(statement.value) in loads:
            continue
        found += _labels(statement)
    return found


def violations(root: pathlib.Path, table: Table) -> list[Violation]:
    """Edges of the BUILD graph below ``root`` that the table does not allow."""
    found = []
    for path in source_files(root, ("BUILD.bazel", "BUILD")):
        package = path.rsplit("/", 1)[0]
        for line, target, kind, test in build_file_edges(root, path):
            asker = f"{package}/x_test.x" if test else package
            if _is_library(table, root, target) and not table.permits(asker, target, kind):
                found.append(
                    Violation(path, line, kind, table.row(package) or "?", table.row(target) or target)
                )
    for path in source_files(root, (".bzl",)):
        for line, target in bzl_labels(root, path):
            allowed = any(table.permits(path, target, kind) for kind in ("py", "cc"))
            if _is_library(table, root, target) and not allowed:
                found.append(
                    Violation(path, line, "BUILD", table.row(path) or "?", table.row(target) or target)
                )
    return found


def _is_library(table: Table, root: pathlib.Path, target: str) -> bool:
    """Whether a label's package is a library's (toolchains, third-party and Bazel's own rules are not)."""
    return table.row(target) is not None or target.split("/")[0] in ("tests", "examples", "docs")
