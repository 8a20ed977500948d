"""What captured graphs say of their nodes."""

from __future__ import annotations

from torch.fx import Node


def target_name(node: Node) -> str:
    """``conv2d.default`` of a call of that operator."""
    return str(getattr(node.target, "__name__", node.target))


def module_of(node: Node) -> str:
    """The qualified name of the innermost module that a node belongs to, empty if the trace does not say."""
    stack = node.meta.get("nn_module_stack") or {}
    found = [path for path, _ in stack.values()]
    return str(found[-1]).removeprefix("L['self'].").removeprefix("L__self___") if found else ""
