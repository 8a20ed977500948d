"""From events to the source of the model: operators, lines, modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from executorch.devtools.debug_format.base_schema import OperatorNode
from executorch.devtools.inspector.debug_handles import handles_of


class Sourced(Protocol):
    """What an event knows of the model's source."""

    debug_handles: Any
    op_types: list[str]
    stack_traces: dict[str, str]
    module_hierarchy: dict[str, dict[str, Any]]


def attach_sources(event: Sourced, nodes: Mapping[int, Sequence[OperatorNode]]) -> None:
    """Fills what an event knows of the model's source, from the operators with its debug handles."""
    for handle in handles_of(event.debug_handles):
        for node in nodes.get(handle, ()):
            if node.op is not None:
                event.op_types.append(node.op)
            metadata = node.metadata or {}
            if metadata.get("stack_trace"):
                event.stack_traces[node.name] = metadata["stack_trace"]
            if metadata.get("nn_module_stack"):
                event.module_hierarchy[node.name] = metadata["nn_module_stack"]


def is_in_module(event: Sourced, module_name: str) -> bool:
    """Whether an event comes from a module: its path (``layers.0``), or torch's name (``L__self___layers_0``)."""
    for hierarchy in event.module_hierarchy.values():
        for key, entry in hierarchy.items():
            path = entry[0] if isinstance(entry, (list, tuple)) else ""
            if module_name in (key, path) or (path and module_name == _generated_name(path)):
                return True
    return False


def _generated_name(path: str) -> str:
    return "L__self___" + path.replace(".", "_")


__all__ = ["attach_sources", "is_in_module"]
