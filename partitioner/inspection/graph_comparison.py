"""Whether two graphs compute the same thing in the same way."""

from __future__ import annotations

from typing import Any

import torch
import torch.utils._pytree as pytree

from executorch.dialects import meta_keys
from executorch.partitioner.selection.partition_proposals import operator_name


def is_identical_graph(graph_left: torch.fx.GraphModule, graph_right: torch.fx.GraphModule) -> bool:
    """Whether the graphs have the same operators on the same values, whatever their nodes are called.

    Nodes are compared in graph order: operation, operator, arguments, and dtypes and shapes of their values.
    Submodules of control flow are compared in the same way.
    """
    left, right = list(graph_left.graph.nodes), list(graph_right.graph.nodes)
    if len(left) != len(right):
        return False
    partner = dict(zip(left, right, strict=True))
    return all(_same_node(one, other, partner, graph_left, graph_right) for one, other in partner.items())


def _same_node(
    one: torch.fx.Node,
    other: torch.fx.Node,
    partner: dict[torch.fx.Node, torch.fx.Node],
    left: torch.fx.GraphModule,
    right: torch.fx.GraphModule,
) -> bool:
    if one.op != other.op or _described(one) != _described(other):
        return False
    if one.op == "call_function" and operator_name(one.target) != operator_name(other.target):
        return False
    if one.op == "get_attr" and not _same_attribute(one, other, left, right):
        return False
    here, form = pytree.tree_flatten((one.args, one.kwargs))
    there, other_form = pytree.tree_flatten((other.args, other.kwargs))
    return form == other_form and all(_same_arg(a, b, partner) for a, b in zip(here, there, strict=True))


def _same_arg(one: Any, other: Any, partner: dict[torch.fx.Node, torch.fx.Node]) -> bool:
    if isinstance(one, torch.fx.Node):
        return partner.get(one) is other
    return type(one) is type(other) and bool(one == other)


def _same_attribute(
    one: torch.fx.Node, other: torch.fx.Node, left: torch.fx.GraphModule, right: torch.fx.GraphModule
) -> bool:
    here, there = _attribute(left, one), _attribute(right, other)
    if isinstance(here, torch.fx.GraphModule) and isinstance(there, torch.fx.GraphModule):
        return is_identical_graph(here, there)
    return type(here) is type(there)


def _attribute(graph_module: torch.fx.GraphModule, node: torch.fx.Node) -> Any:
    found: Any = graph_module
    for name in str(node.target).split("."):
        found = getattr(found, name, None)
    return found


def _described(node: torch.fx.Node) -> list[Any]:
    """Dtype and sizes of what the node gives; a symbolic size counts by being symbolic only."""
    values = pytree.tree_leaves(node.meta.get(meta_keys.VAL))
    return [
        (value.dtype, *("?" if isinstance(size, torch.SymInt) else size for size in value.shape))
        if isinstance(value, torch.Tensor)
        else type(value)
        for value in values
    ]
