"""Reads MODULE.bazel files and walks the module graph that Bazel will see."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .progress import BootstrapError


@dataclass
class Module:
    """What one MODULE.bazel says, as far as resolution needs it."""

    name: str = ""
    # (module name, version, only for development of this module)
    deps: list[tuple[str, str, bool]] = field(default_factory=list)
    # local_path_override: module name -> path
    local_paths: dict[str, str] = field(default_factory=dict)
    # archive_override, git_override: fetched by Bazel itself
    fetched: set[str] = field(default_factory=set)
    # single_version_override, multiple_version_override: module name -> further versions
    versions: dict[str, list[str]] = field(default_factory=dict)
    # (label of a .bzl file, extension) -> names of the repositories that use_repo takes from it
    extensions: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    # labels of include()d files
    includes: list[str] = field(default_factory=list)


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None  # an expression; nothing that resolution needs is one


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Top-level calls with the name they are assigned to ("" if none)."""
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.Expr)) and isinstance(statement.value, ast.Call):
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            yield next((t.id for t in targets if isinstance(t, ast.Name)), ""), statement.value


def parse(text: str, origin: str = "MODULE.bazel") -> Module:
    """Parses a MODULE.bazel file, whose syntax is a subset of Python's."""
    try:
        tree = ast.parse(text, origin)
    except SyntaxError as error:
        raise BootstrapError(f"{origin}, line {error.lineno}: {error.msg}") from error
    module = Module()
    proxies: dict[str, tuple[str, str]] = {}
    for variable, call in _calls(tree):
        if not isinstance(call.func, ast.Name):
            continue  # a tag of an extension
        given = {keyword.arg: _literal(keyword.value) for keyword in call.keywords if keyword.arg}
        positional = [_literal(argument) for argument in call.args]
        _record(module, proxies, variable, call, given, positional)
    return module


def _record(
    module: Module,
    proxies: dict[str, tuple[str, str]],
    variable: str,
    call: ast.Call,
    given: dict[str, object],
    positional: list[object],
) -> None:
    """Takes what one call says into the module."""
    assert isinstance(call.func, ast.Name)

    def text(index: int, keyword: str) -> str:
        value = positional[index] if index < len(positional) else given.get(keyword)
        return value if isinstance(value, str) else ""

    function = call.func.id
    if function == "module":
        module.name = text(0, "name")
    elif function == "bazel_dep":
        module.deps.append((text(0, "name"), text(1, "version"), given.get("dev_dependency") is True))
    elif function == "local_path_override":
        module.local_paths[text(0, "module_name")] = text(1, "path")
    elif function in ("archive_override", "git_override"):
        module.fetched.add(text(0, "module_name"))
    elif function in ("single_version_override", "multiple_version_override"):
        more = given.get("versions")
        versions = [str(version) for version in more] if isinstance(more, list) else [text(1, "version")]
        module.versions[text(0, "module_name")] = [version for version in versions if version]
    elif function == "include":
        module.includes.append(text(0, "label"))
    elif function == "use_extension":
        proxies[variable] = (text(0, "extension_bzl_file"), text(1, "extension_name"))
        module.extensions.setdefault(proxies[variable], [])
    elif function == "use_repo" and call.args and isinstance(call.args[0], ast.Name):
        repositories = [str(name) for name in [*positional[1:], *given.values()]]
        module.extensions.setdefault(proxies.get(call.args[0].id, ("", "")), []).extend(repositories)


def read(directory: Path) -> Module:
    """Reads a module from its directory, with the files that its MODULE.bazel includes."""
    module = parse((directory / "MODULE.bazel").read_text(), str(directory / "MODULE.bazel"))
    pending = list(module.includes)
    while pending:
        label = pending.pop(0)
        path = directory / label.removeprefix("//").replace(":", "/").lstrip("/")
        part = parse(path.read_text(), str(path))
        pending += part.includes
        module.deps += part.deps
        module.local_paths |= part.local_paths
        module.fetched |= part.fetched
        module.versions |= part.versions
        for key, repositories in part.extensions.items():
            module.extensions.setdefault(key, []).extend(repositories)
    return module


@dataclass
class Graph:
    """The modules of a workspace by where they come from."""

    # found in a directory here: module name -> directory
    provided: dict[str, Path] = field(default_factory=dict)
    # found nowhere, named only by Bazel's own modules: module name -> versions
    missing: dict[str, set[str]] = field(default_factory=dict)
    # found nowhere though the workspace's own modules need it: module name -> who names it
    unmet: dict[str, str] = field(default_factory=dict)
    # extensions that modules take from missing modules: (module, file, extension) -> repositories
    extensions: dict[tuple[str, str, str], set[str]] = field(default_factory=dict)


def walk(workspace: Path, builtin: Path, provided: Callable[[str], Path | None]) -> Graph:
    """Walks the graph from a workspace and from Bazel's built-in module.

    Args:
        workspace: directory of the root MODULE.bazel.
        builtin: directory of bazel_tools' MODULE.bazel.
        provided: gives the directory of a module that the installation brings, or None.
    """
    graph = Graph()
    root = read(workspace)
    # (module, whether the workspace is answerable for what it names)
    queue: list[tuple[Module, bool]] = [(root, True), (read(builtin), False)]
    seen = {root.name, "bazel_tools", "local_config_platform", ""}
    while queue:
        module, own = queue.pop(0)
        for name, version, development in module.deps:
            if (development and module is not root) or name in root.fetched:
                continue
            directory = provided(name)
            if name in root.local_paths:
                if name not in seen:
                    queue.append((read(workspace / root.local_paths[name]), True))
            elif directory:
                graph.provided[name] = directory
                if name not in seen:
                    queue.append((read(directory), False))
            elif own:
                graph.unmet.setdefault(name, module.name or "MODULE.bazel")
            elif name not in seen or name in graph.missing:
                graph.missing.setdefault(name, set()).update({version, *root.versions.get(name, [])} - {""})
            seen.add(name)
        for (label, extension), repositories in module.extensions.items():
            repository, _, file = label.partition("//")
            key = (repository.lstrip("@"), file.replace(":", "/").lstrip("/"), extension)
            graph.extensions.setdefault(key, set()).update(repositories)
    graph.extensions = {key: names for key, names in graph.extensions.items() if key[0] in graph.missing}
    return graph
