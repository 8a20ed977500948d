"""The graph of Python imports between modules, and its circles.

A module depends on what it imports, wherever the import stands; what is only there for types (``TYPE_CHECKING``) is an edge of
its own kind, since a reader has to follow it while the interpreter does not. That importing ``a.b.c`` runs ``a`` and
``a.b`` first is no edge: a package's ``__init__`` names what its modules offer. Modules of other libraries imported by name
are looked up when somebody asks for what they offer (``by_name`` in ``bazel/edges.bzl``), and are no edge either.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from executorch.tests.architecture import generated, python_imports
from executorch.tests.architecture.edges import source_files


@dataclass(frozen=True)
class Circle:
    """Modules each of which reaches all the others.

    Attributes:
        members: all of them, sorted.
        way: a shortest way round, each module with the line at which it imports the next one.
        for_types_only: the circle is open without the imports under ``TYPE_CHECKING``.
    """

    members: tuple[str, ...]
    way: tuple[tuple[str, int], ...]
    for_types_only: bool

    def __str__(self) -> str:
        steps = " -> ".join(f"{module}:{line}" if line else module for module, line in self.way)
        kind = ", with imports for types" if self.for_types_only else ""
        return f"{len(self.members)} modules{kind}: {steps} -> {self.way[0][0]}"


#: Module -> module that it imports -> one such import; of several, one that is not for types.
Graph = Mapping[str, Mapping[str, python_imports.Import]]


def module_name(path: str) -> str:
    """The dotted name, without ``executorch``, of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def read(root: pathlib.Path) -> dict[str, dict[str, python_imports.Import]]:
    """The graph of the whole tree, with its tests and tools, and with what the build makes of published names."""
    paths = (*source_files(root, (".py",), free=True), *generated.modules(root))
    files = {module_name(path): path for path in paths}
    graph: dict[str, dict[str, python_imports.Import]] = {module: {} for module in files}
    for module, path in files.items():
        for one in python_imports.detailed_imports(root, path):
            target = _module(one.target, files)
            if target is None or target == module:
                continue
            if one.kind == "name" and target.split(".")[0] != module.split(".")[0]:
                continue
            known = graph[module].get(target)
            if known is None or (known.kind == "types" and one.kind != "types"):
                graph[module][target] = one
    return graph


def _at_run_time(graph: Graph) -> dict[str, list[str]]:
    return {
        module: [target for target, one in targets.items() if one.kind != "types"]
        for module, targets in graph.items()
    }


def _module(target: str, files: Mapping[str, str]) -> str | None:
    """The module that is, or has, what is imported."""
    parts = target.split("/")
    for end in range(len(parts), 0, -1):
        name = ".".join(parts[:end])
        if name in files:
            return name
    return None


def components(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components of two nodes and more, each sorted (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []
    for start in graph:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        waiting.append(start)
        stack = [(start, iter(graph[start]))]
        while stack:
            node, targets = stack[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    waiting.append(target)
                    stack.append((target, iter(graph[target])))
                    break
                # Once a component is complete, its nodes count no more.
                if low[target] >= 0:
                    low[node] = min(low[node], index[target])
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    low[above] = min(low[above], low[node]) if low[node] >= 0 else low[above]
                if low[node] == index[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(waiting.pop())
                    for member in component:
                        low[member] = -1
                    if len(component) > 1:
                        found.append(sorted(component))
    return sorted(found)


def _way(graph: Graph, members: list[str]) -> tuple[tuple[str, int], ...]:
    """A shortest way round among ``members``."""
    inside = set(members)
    best: list[str] = []
    for start in members:
        before = {start: ""}
        queue = [start]
        for node in queue:
            if start in graph[node]:
                way = [node]
                while before[way[0]]:
                    way.insert(0, before[way[0]])
                if not best or len(way) < len(best):
                    best = way
                break
            for target in graph[node]:
                if target in inside and target not in before:
                    before[target] = node
                    queue.append(target)
    return tuple((module, graph[module][best[(i + 1) % len(best)]].line) for i, module in enumerate(best))


def circles(root: pathlib.Path) -> list[Circle]:
    """All circles of imports below ``root``."""
    graph = read(root)
    closed = {member for members in components(_at_run_time(graph)) for member in members}
    return [
        Circle(tuple(members), _way(graph, members), not closed.intersection(members))
        for members in components(graph)
    ]


def library_circles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Libraries that reach each other, of a mapping of library to the libraries that it imports."""
    complete = {library: list(targets) for library, targets in edges.items()}
    for targets in list(complete.values()):
        for target in targets:
            complete.setdefault(target, [])
    return components(complete)
