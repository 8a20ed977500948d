"""Finds what Python files import from other libraries, wherever in the file the import stands, and however."""

from __future__ import annotations

import ast
import functools
import pathlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from executorch.tests.architecture import generated
from executorch.tests.architecture.edges import Table, Violation, source_files

_PACKAGE = "executorch"

# importlib.import_module("executorch.x"), __import__("executorch.x"), pytest.importorskip, lazy loaders.
_LOADS_BY_NAME = re.compile(r"import|lazy|find_spec|load_module", re.IGNORECASE)

# Functions whose first argument always is a module's name, in text or in a variable.
_IMPORTERS = frozenset({"import_module", "__import__", "importorskip", "run_module", "resolve_name"})

_MODULE_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*[.:]?")


@dataclass(frozen=True)
class Import:
    """One import.

    Attributes:
        line: where it stands.
        target: what is imported, as a path relative to the root: a module, or a name in it.
        kind: ``statement``, ``types`` (under ``TYPE_CHECKING``), or ``name`` (imported by its name in a string).
    """

    line: int
    target: str
    kind: str


@dataclass(frozen=True)
class OpenImport:
    """An import by a name that nobody can tell from the file."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


class _File:
    """The imports of one parsed file, by dotted name."""

    def __init__(self, tree: ast.Module, package: list[str]) -> None:
        self._tree = tree
        self._package = package
        self._values: dict[str, list[ast.expr]] = {}
        for node in ast.walk(tree):
            for name, value in _assigned(node):
                self._values.setdefault(name, []).append(value)
        self._parameters = _parameters(tree)
        self.open: list[ast.Call] = []

    def imported(self) -> Iterator[tuple[int, str, str]]:
        """(line, dotted name, kind) of each import."""
        for node, kind in _walk(self._tree, "statement"):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node.lineno, alias.name, kind
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node)
                for alias in node.names:
                    yield node.lineno, f"{base}.{alias.name}", kind
            elif isinstance(node, ast.Call):
                for name in self._by_name(node):
                    yield node.lineno, name, "name"

    def _base(self, node: ast.ImportFrom) -> str:
        base = node.module or ""
        if not node.level:
            return base
        return ".".join([*self._package[: len(self._package) - node.level + 1], *([base] if base else [])])

    def _by_name(self, call: ast.Call) -> Iterator[str]:
        function = ast.unparse(call.func)
        if function.rpartition(".")[2] in _IMPORTERS and call.args:
            names = self._strings(call.args[0], set(self._parameters.get(id(call), ())))
            if names is None or not names:
                self.open.append(call)
            yield from names or ()
        elif _LOADS_BY_NAME.search(function):
            for argument in call.args:
                if isinstance(argument, ast.Constant) and _is_module_name(argument.value):
                    yield argument.value

    def _strings(self, node: ast.expr, foreign: set[str]) -> set[str] | None:
        """The names of modules that an expression can stand for; None when others may be among them.

        Args:
            foreign: names whose values come from elsewhere, the parameters of the functions around.
        """
        if isinstance(node, ast.Subscript):
            return self._strings(node.value, foreign)
        if isinstance(node, ast.Constant):
            return {node.value.split(":")[0].rstrip(".")} if _is_module_name(node.value) else set()
        if isinstance(node, ast.Name):
            values = self._values.get(node.id, ())
            if node.id in foreign or not values:
                return None
            # What stands for itself in a loop adds nothing.
            parts = [self._strings(value, foreign | {node.id}) for value in values]
        elif isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
            return None
        else:
            parts = [self._strings(part, foreign) for part in _parts(node)]
        found: set[str] = set()
        for part in parts:
            if part is None:
                return None
            found |= part
        return found


def _is_module_name(value: object) -> bool:
    return isinstance(value, str) and _MODULE_NAME.fullmatch(value) is not None


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that the value of ``node`` is made of; of a mapping its values."""
    if isinstance(node, ast.Dict):
        yield from node.values
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from (node.func.value, *node.args)
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _parameters(tree: ast.AST) -> dict[int, set[str]]:
    """Of each call (by identity) the parameters of the functions around it."""
    found: dict[int, set[str]] = {}

    def walk(node: ast.AST, known: set[str]) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            known = known | {
                argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)
            }
        if isinstance(node, ast.Call):
            found[id(node)] = known
        for child in ast.iter_child_nodes(node):
            walk(child, known)

    walk(tree, set())
    return found


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    else:
        return
    assert node.value is not None
    for target in targets:
        for name in ast.walk(target):
            if isinstance(name, ast.Name):
                yield name.id, node.value


def _walk(node: ast.AST, kind: str) -> Iterator[tuple[ast.AST, str]]:
    """All nodes below ``node``, each with the kind of imports that stand there."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in child.body:
                yield statement, "types"
                yield from _walk(statement, "types")
            for statement in child.orelse:
                yield statement, kind
                yield from _walk(statement, kind)
        else:
            yield child, kind
            yield from _walk(child, kind)


# Several checks read the same file: its text is the key, since tests write one path several times.
@functools.cache
def _read(path: str, text: str) -> tuple[tuple[Import, ...], tuple[OpenImport, ...]]:
    parsed = _File(ast.parse(text, path), [_PACKAGE, *path.split("/")[:-1]])
    found = []
    for line, name, kind in parsed.imported():
        parts = name.split(".")
        if parts[0] == _PACKAGE and len(parts) > 1:
            found.append(Import(line, "/".join(parts[1:]), kind))
    return tuple(found), tuple(OpenImport(path, call.lineno, ast.unparse(call)) for call in parsed.open)


def detailed_imports(root: pathlib.Path, path: str) -> tuple[Import, ...]:
    """Each import of the project's own modules."""
    return _read(path, generated.text(root, path))[0]


def imports(root: pathlib.Path, path: str) -> list[tuple[int, str]]:
    """(line, path of the target relative to the root) for each import of the project's own modules."""
    return [(one.line, one.target) for one in detailed_imports(root, path)]


def needed_imports(root: pathlib.Path, path: str, inside_functions: bool = True) -> list[tuple[int, str]]:
    """Like `imports`, without those for types only; on request without those inside functions and by name either."""
    if inside_functions:
        return [(one.line, one.target) for one in detailed_imports(root, path) if one.kind != "types"]
    tree = ast.parse(generated.text(root, path), path)
    inside = {
        child.lineno
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
        if isinstance(child, (ast.Import, ast.ImportFrom))
    }
    return [
        (one.line, one.target)
        for one in detailed_imports(root, path)
        if one.kind == "statement" and one.line not in inside
    ]


def open_imports(root: pathlib.Path, path: str) -> list[OpenImport]:
    """Imports by name whose name comes from elsewhere: an argument, a file, a caller."""
    return list(_read(path, (root / path).read_text())[1])


def violations(root: pathlib.Path, table: Table) -> list[Violation]:
    """Imports below ``root`` that the table does not allow."""
    found = []
    for path in (*source_files(root, (".py", ".pyi")), *generated.modules(root)):
        for one in detailed_imports(root, path):
            # `from executorch import x` names a library, `executorch.<x>.y` something in it.
            if table.row(one.target) is None and not (root / one.target.split("/")[0]).is_dir():
                continue
            if not table.permits(path, one.target, "py", by_name=one.kind == "name"):
                row, target = table.row(path) or "?", table.row(one.target) or one.target
                found.append(Violation(path, one.line, "py", row, target))
    return found
