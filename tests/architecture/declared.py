"""Python imports that no BUILD file declares.

A checkout has every file, a test's sandbox only those of its target and of what that depends on, directly or not: an import that
nobody declared works under a plain pytest and fails under Bazel. What a library imports inside a function is not counted: it is there
for callers who have the other library, who declare it.
"""

from __future__ import annotations

import ast
import functools
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from executorch.tests.architecture import generated, python_imports
from executorch.tests.architecture.edges import is_test, source_files

_IMPORT_LINE = re.compile(r"(?:from|import) executorch\.([\w.]+)")


@dataclass(frozen=True)
class Target:
    """A target with Python sources.

    Attributes:
        label: its name, ``package:name``.
        sources: paths of its files.
        examples: paths of the pages whose examples it runs.
        dependencies: labels, of this repository only.
    """

    label: str
    sources: tuple[str, ...]
    examples: tuple[str, ...]
    dependencies: tuple[str, ...]


@dataclass(frozen=True)
class Undeclared:
    """An import of a file that is not among the dependencies of a target."""

    label: str
    path: str
    line: int
    imported: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: //{self.label} does not depend on {self.imported}"


def undeclared(root: pathlib.Path) -> list[Undeclared]:
    """All of them in the BUILD files below ``root``."""
    targets = {target.label: target for target in _targets(root)}
    owned = {source for target in targets.values() for source in target.sources}

    @functools.cache
    def reach(label: str) -> frozenset[str]:
        seen, pending = {label}, [label]
        while pending:
            target = targets.get(pending.pop())
            for dependency in target.dependencies if target is not None else ():
                if dependency not in seen:
                    seen.add(dependency)
                    pending.append(dependency)
        return frozenset(path for one in seen if one in targets for path in targets[one].sources)

    found = []
    for target in targets.values():
        for path in (*target.sources, *target.examples):
            for line, imported in _imported_files(root, path):
                # What no target owns comes from a rule that is not read here.
                if imported in owned and imported not in reach(target.label):
                    found.append(Undeclared(target.label, path, line, imported))
    return found


def _imported_files(root: pathlib.Path, path: str) -> Iterator[tuple[int, str]]:
    if path.endswith(".md"):
        found = _imports_of_examples((root / path).read_text())
    else:
        found = python_imports.needed_imports(root, path, inside_functions=is_test(path))
    for line, imported in found:
        package, _, name = imported.rpartition("/")
        if generated.is_module(root, f"{imported}.py"):
            yield line, f"{imported}.py"
        elif generated.is_module(root, f"{imported}/__init__.py"):
            yield line, f"{imported}/__init__.py"
        elif generated.is_module(root, f"{package}.py"):
            yield line, f"{package}.py"
        elif generated.is_module(root, f"{package}/__init__.py") and name in _words(
            generated.text(root, f"{package}/__init__.py")
        ):
            yield line, f"{package}/__init__.py"  # else a module that a rule makes


def _imports_of_examples(text: str) -> list[tuple[int, str]]:
    lines = enumerate(text.splitlines(), start=1)
    found = ((line, _IMPORT_LINE.match(words)) for line, words in lines)
    return [(line, match[1].replace(".", "/")) for line, match in found if match]


@functools.cache
def _words(text: str) -> frozenset[str]:
    """Names that a file imports, assigns or uses, without those in its texts."""
    nodes = list(ast.walk(ast.parse(text)))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    defined = {node.name for node in nodes if isinstance(node, (ast.alias, ast.ClassDef, ast.FunctionDef))}
    return frozenset(used | defined)


def _targets(root: pathlib.Path) -> Iterator[Target]:
    for path in source_files(root, ("BUILD.bazel", "BUILD"), free=True):
        package = path.rpartition("/")[0]
        tree = ast.parse((root / path).read_text(), path)
        variables = {
            target.id: statement.value
            for statement in tree.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
        for statement in tree.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                target = _target(root, package, statement.value, variables)
                if target is not None:
                    yield target


def _target(
    root: pathlib.Path, package: str, call: ast.Call, variables: dict[str, ast.expr]
) -> Target | None:
    attributes = {keyword.arg: keyword.value for keyword in call.keywords}
    name = attributes.get("name")
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    sources = [
        f"{package}/{text}"
        for text in _strings(attributes.get("srcs"), variables)
        if text.endswith(".py") and (root / package / text).is_file()
    ]
    if isinstance(call.func, ast.Name) and call.func.id == "published_modules":
        sources = [f"{package}/{path}" for path in generated.modules_in(root, package)]
    dependencies = [
        _label(package, text)
        for attribute in ("deps", "python", "actual")
        for text in _strings(attributes.get(attribute), variables)
        if text.startswith((":", "//"))
    ]
    pages = [text for text in _strings(attributes.get("data"), variables) if text.endswith(".md")]
    runs_examples = any("```python" in generated.text(root, source) for source in sources if is_test(source))
    examples = tuple(
        f"{package}/{page}" for page in pages if runs_examples and (root / package / page).is_file()
    )
    return Target(f"{package}:{name.value}", tuple(sources), examples, tuple(dependencies))


def _strings(node: ast.expr | None, variables: dict[str, ast.expr]) -> Iterator[str]:
    for child in ast.walk(node) if node is not None else ():
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value
        elif isinstance(child, ast.Name) and child.id in variables:
            yield from _strings(variables[child.id], variables)


def _label(package: str, text: str) -> str:
    where, _, name = (
        text.removeprefix("//").partition(":") if text.startswith("//") else (package, "", text[1:])
    )
    return f"{where}:{name or where.rpartition('/')[2]}"


__all__ = ["Target", "Undeclared", "undeclared"]
