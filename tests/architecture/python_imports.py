"""Finds what Python files import from other libraries, wherever in the file the import stands."""

from __future__ import annotations

import ast
import pathlib
import re
from collections.abc import Iterator

from executorch.tests.architecture.edges import Table, Violation, source_files

_PACKAGE = "executorch"

# importlib.import_module("executorch.x"), __import__("executorch.x"), pytest.importorskip, lazy loaders.
_LOADS_BY_NAME = re.compile(r"import|lazy|find_spec|load_module", re.IGNORECASE)


def _imported(tree: ast.AST, package: list[str]) -> Iterator[tuple[int, str]]:
    """(line, dotted name) for every import below the package; strings that name a module count as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and _LOADS_BY_NAME.search(ast.unparse(node.func)):
            for argument in node.args:
                name = argument.value if isinstance(argument, ast.Constant) else None
                if (
                    isinstance(name, str)
                    and name.startswith(_PACKAGE + ".")
                    and name.replace(".", "").isidentifier()
                ):
                    yield node.lineno, name


def imports(root: pathlib.Path, path: str) -> list[tuple[int, str]]:
    """(line, path of the target relative to the root) for each import of the project's own modules."""
    tree = ast.parse((root / path).read_text(), path)
    package = [_PACKAGE, *path.split("/")[:-1]]
    found = []
    for line, name in _imported(tree, package):
        parts = name.split(".")
        if parts[0] == _PACKAGE and len(parts) > 1:
            found.append((line, "/".join(parts[1:])))
    return found


def violations(root: pathlib.Path, table: Table) -> list[Violation]:
    """Imports below ``root`` that the table does not allow."""
    found = []
    for path in source_files(root, (".py", ".pyi")):
        for line, target in imports(root, path):
            # `from executorch import x` names a library, `executorch.<x>.y` something in it.
            if table.row(target) is None and not (root / target.split("/")[0]).is_dir():
                continue
            if not table.permits(path, target, "py"):
                found.append(Violation(path, line, "py", table.row(path) or "?", table.row(target) or target))
    return found
