"""Names of torch that are private there: an upgrade of torch that moves one is a change of this module.

Each has a test of what is relied on.
"""

import copy
from collections.abc import Iterable
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx._lazy_graph_module import _make_graph_module, _use_lazy_graph_module


def make_graph_module(root: Any, graph: Graph) -> GraphModule:
    """A ``GraphModule`` that generates its Python code when it is first called or printed, not on every edit."""
    with _use_lazy_graph_module(True):
        return _make_graph_module(root, graph)


def with_parts(program: ExportedProgram, parts: dict[str, Any]) -> ExportedProgram:
    """A program with some parts exchanged and the others shared, where the constructor copies and verifies.

    Args:
        program: stays as it is.
        parts: name of a part (``graph_module``, ``graph_signature``, ``state_dict``, ``constants``, ``verifiers``,
            ``range_constraints``, ``module_call_graph``) -> its new value.
    """
    new = copy.copy(program)
    for name, value in parts.items():
        assert hasattr(new, f"_{name}"), name
        setattr(new, f"_{name}", value)
    return new


def rename(node: Node, name: str) -> None:
    """Gives a node the name, or one like it that is free in its graph; users and generated code follow."""
    node._rename(name)


def rename_after(node: Node, target: Any) -> None:
    """Names ``node`` as torch.fx would name a new call of ``target``."""
    node._rename(node.graph._target_to_str(target))


def number_anew(graph: Graph, nodes: Iterable[Node], stem: str) -> bool:
    """Names nodes ``stem``, ``stem_1``, ... in this order, as a new graph would; returns whether any name changed."""
    numbered = list(nodes)
    names = graph._graph_namespace
    # fx remembers names of nodes that are gone, and counts on from them.
    names._used_names = {node.name for node in graph.nodes} - {node.name for node in numbered}
    names._base_count.pop(stem, None)
    changed = False
    for node in numbered:
        name = names.create_name(stem, None)
        changed |= name != node.name
        node.name = name
        names._rename_object(node, name)
    return changed


def is_erased(node: Node) -> bool:
    """Whether a node has been taken out of its graph."""
    return node._erased
