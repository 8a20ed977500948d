"""From the edge program back to the program that ``torch.export`` gave: debug handles by where nodes come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.dialects.meta_keys import DEBUG_HANDLE as DEBUG_HANDLE_KEY
from executorch.dialects.meta_keys import FROM_NODE as FROM_NODE_KEY
from executorch.dialects.meta_keys import UNSET_DEBUG_HANDLE


def get_parent_node_identifier(node: torch.fx.Node) -> str | None:
    """What a node was made from: name and graph (``linear.140046``); None if it is not known."""
    found = node.meta.get(FROM_NODE_KEY)
    return _identifier(found[-1]) if found else None


def get_ancestor_node_identifiers(node: torch.fx.Node) -> list[str]:
    """What a node was made from, what this was made from, and so on; the oldest last."""
    return [_identifier(source) for source in _ancestors(node.meta.get(FROM_NODE_KEY) or [])]


def _identifier(source: Any) -> str:
    return f"{source.name}.{source.graph_id}"


def _ancestors(sources: list[Any]) -> Iterator[Any]:
    while sources:
        yield sources[-1]
        sources = sources[-1].from_node


def propagate_back_debug_handle(
    exported_program: ExportedProgram,
    exported_program_graph_id: int,
    edge_dialect_program: ExportedProgram,
    disable_debug_handle_valdiation: bool = False,
) -> bool:
    """Gives nodes of the exported program the debug handles of the edge program's nodes that come from them.

    Nodes that nothing came from have ``UNSET_DEBUG_HANDLE`` afterwards.

    Args:
        exported_program: What ``torch.export`` returned; its nodes' metadata are written.
        exported_program_graph_id: The number of its graph when it was exported (``ETRecord.export_graph_id``).
        edge_dialect_program: What was made of it.
        disable_debug_handle_valdiation: Writes also when the answer is no.

    Returns:
        Whether each debug handle of the edge program has a node in the exported program. If not, nothing is written
        unless ``disable_debug_handle_valdiation``.
    """
    handles: dict[str, int] = {}
    wanted: set[int] = set()
    for node in edge_dialect_program.graph.nodes:
        handle = node.meta.get(DEBUG_HANDLE_KEY)
        if node.op not in ("placeholder", "output") and handle is not None:
            wanted.add(handle)
            handles.update(dict.fromkeys(get_ancestor_node_identifiers(node), handle))
    found = {
        node: _find(handles, node, exported_program_graph_id)
        for node in exported_program.graph.nodes
        if node.op not in ("placeholder", "output")
    }
    complete = wanted <= set(found.values())
    if complete or disable_debug_handle_valdiation:
        for node, handle in found.items():
            node.meta[DEBUG_HANDLE_KEY] = UNSET_DEBUG_HANDLE if handle is None else handle
    return complete


def _find(handles: dict[str, int], node: torch.fx.Node, graph_id: int) -> int | None:
    own = handles.get(f"{node.name}.{graph_id}")
    if own is not None:
        return own
    # A program that was decomposed or exported again since then says in its nodes what they were.
    parent = get_parent_node_identifier(node)
    return None if parent is None else handles.get(parent)


__all__ = [
    "DEBUG_HANDLE_KEY",
    "FROM_NODE_KEY",
    "UNSET_DEBUG_HANDLE",
    "get_ancestor_node_identifiers",
    "get_parent_node_identifier",
    "propagate_back_debug_handle",
]
