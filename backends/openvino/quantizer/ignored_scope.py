"""Which nodes of a captured graph stay in floating point."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from torch.fx import Graph, Node


@dataclass(frozen=True)
class IgnoredScope:
    """What :meth:`OpenVINOQuantizer.set_ignored_scope` takes, by its names."""

    names: frozenset[str] = frozenset()
    patterns: tuple[str, ...] = ()
    types: frozenset[Any] = frozenset()
    subgraphs: tuple[tuple[Iterable[str], Iterable[str]], ...] = ()
    is_validated: bool = True

    def nodes(self, graph: Graph) -> set[Node]:
        """The nodes.

        Raises:
            ValueError: a name, a pattern or the end of a subgraph is no node of the graph.
        """
        by_name = {node.name: node for node in graph.nodes}
        found = {node for node in graph.nodes if self._is_named(node) or self._is_of_type(node)}
        matches = {one: [name for name in by_name if re.match(one, name)] for one in self.patterns}
        ends = [name for pair in self.subgraphs for end in pair for name in end]
        missing = [one for one in (*self.names, *ends) if one not in by_name]
        missing += [one for one, some in matches.items() if not some]
        if missing and self.is_validated:
            raise ValueError(
                f"OpenVINOQuantizer: the graph has no nodes {sorted(missing)}; validate=False lets that pass"
            )
        for inputs, outputs in self.subgraphs:
            first, last = ([by_name[name] for name in end if name in by_name] for end in (inputs, outputs))
            found |= _reached(first, lambda node: node.users) & _reached(
                last, lambda node: node.all_input_nodes
            )
        return found

    def _is_named(self, node: Node) -> bool:
        return node.name in self.names or any(re.match(one, node.name) for one in self.patterns)

    def _is_of_type(self, node: Node) -> bool:
        if node.op != "call_function":
            return False
        name = str(node.target).removeprefix("aten.")
        return bool(self.types & {node.target, str(node.target), name.split(".", maxsplit=1)[0]})


def _reached(start: Iterable[Node], step: Any) -> set[Node]:
    """Nodes that steps lead to, with those that they begin at."""
    found: set[Node] = set()
    rest = list(start)
    while rest:
        node = rest.pop()
        if node not in found:
            found.add(node)
            rest.extend(step(node))
    return found
