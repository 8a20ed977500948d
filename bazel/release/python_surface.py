"""What Python modules offer, read from their source.

A surface maps names to what must stay true of them: `py:module.Class.method` to its parameters, a class to "class", and
what can only be said to be there to "value" (constants, aliases, fields) or "import" (a name that another library defines).
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Mapping

Surface = dict[str, str]

#: Whatever stands behind such a name, it is there; whether it takes the same arguments is not known.
OPAQUE = ("value", "import")


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The parameters' names, kinds and which have defaults; neither annotations nor the defaults' values."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    optional = len(positional) - len(arguments.defaults)
    found = [one.arg + ("=" if index >= optional else "") for index, one in enumerate(positional)]
    if arguments.vararg:
        found.append("*" + arguments.vararg.arg)
    elif arguments.kwonlyargs:
        found.append("*")
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    found += [one.arg + ("=" if default is not None else "") for one, default in pairs]
    if arguments.kwarg:
        found.append("**" + arguments.kwarg.arg)
    return ", ".join(found)


def is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"


def _targets(node: ast.stmt) -> list[str]:
    """Names that an assignment gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _dataclass_parameters(node: ast.ClassDef) -> str | None:
    """What the constructor of a dataclass takes for the fields that the class itself adds; None for other classes."""
    texts = [ast.unparse(decorator) for decorator in node.decorator_list]
    options = next((text for text in texts if text.split("(")[0].split(".")[-1] == "dataclass"), None)
    if options is None:
        return None
    found = ["self"] + (["*"] if "kw_only=True" in options else [])
    for field in node.body:
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        value = ast.unparse(field.value) if field.value else ""
        if "ClassVar" in ast.unparse(field.annotation) or "init=False" in value:
            continue
        given = value and ("field(" not in value or "default" in value)
        found.append(field.target.id + ("=" if given else ""))
    return ", ".join(found)


def _of_class(name: str, node: ast.ClassDef) -> Surface:
    surface = {name: "class"}
    made = _dataclass_parameters(node)
    if made is not None:
        surface[f"{name}.__init__"] = made
    return surface | _of_body(name, node.body)


def _of_body(prefix: str, body: list[ast.stmt]) -> Surface:
    surface: Surface = {}
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(node.name):
            surface[f"{prefix}.{node.name}"] = _parameters(node)
        elif isinstance(node, ast.ClassDef) and is_public(node.name):
            surface |= _of_class(f"{prefix}.{node.name}", node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            surface |= {f"{prefix}.{name}": "value" for name in _targets(node) if is_public(name)}
    return surface


@dataclasses.dataclass(frozen=True)
class _Handed:
    """A name that a module hands on from another: `name` of module `source`, here as `alias`."""

    source: str
    name: str
    alias: str


def _listed(body: list[ast.stmt]) -> set[str]:
    """The names in `__all__`."""
    values = [node.value for node in body if isinstance(node, ast.Assign) and "__all__" in _targets(node)]
    return {
        one.value
        for value in values
        for one in ast.walk(value)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


def _handed_on(module: str, is_package: bool, body: list[ast.stmt]) -> Iterator[_Handed]:
    """Imports that are part of the module's face: those of a package, those in `__all__`, and `import x as x`."""
    listed = _listed(body)
    package = module if is_package else module.rpartition(".")[0]
    for node in body:
        if not isinstance(node, ast.ImportFrom):
            continue
        base = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        source = ".".join([*base, *([node.module] if node.module else [])])
        if source.split(".")[0] != module.split(".")[0]:
            continue
        for one in node.names:
            alias = one.asname or one.name
            if alias in listed or (is_public(alias) and (is_package or one.asname == one.name)):
                yield _Handed(source, one.name, alias)


def _definition(trees: Mapping[str, ast.Module], handed: _Handed) -> ast.stmt | None:
    """The function or class behind a name that is handed on, if these modules define it."""
    tree = trees.get(handed.source)
    for node in tree.body if tree else ():
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and node.name == handed.name
        ):
            return node
    return None


def of_modules(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> Surface:
    """What the modules offer whose names have no part that begins with an underscore.

    What stands in a library's room for published names counts where it is published, not there.

    Args:
        sources: dotted name to source, of all modules of a library: what a public one hands on from a hidden one counts.
        packages: those that are an `__init__.py`; what they import from the own package is part of their face.
    """
    trees = {name: ast.parse(source) for name, source in sources.items()}
    surface: Surface = {}
    for module, tree in trees.items():
        if not all(is_public(part) and part != "published" for part in module.split(".")):
            continue
        for handed in _handed_on(module, module in packages, tree.body):
            node, name = _definition(trees, handed), f"py:{module}.{handed.alias}"
            if isinstance(node, ast.ClassDef):
                surface |= _of_class(name, node)
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                surface[name] = _parameters(node)
            else:
                surface[name] = "import"
        surface |= _of_body(f"py:{module}", tree.body)
    return surface
