"""Published questions about graphs, as tests of passes ask them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from torch._ops import OpOverload, OpOverloadPacket
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket


def get_overload_packet(op: Any) -> OpOverloadPacket | EdgeOpOverloadPacket | None:
    """All overloads of the operator that ``op`` is one of; None for what is no operator."""
    if isinstance(op, EdgeOpOverload):
        return op.overloadpacket
    return op.overloadpacket if isinstance(op, OpOverload) else None


def _calls(graph_module: GraphModule) -> list[Node]:
    return [node for node in graph_module.graph.nodes if node.op == "call_function"]


def get_node_names_list_from_gm(graph_module: GraphModule) -> list[str]:
    """The names of the calls, in order."""
    return [node.name for node in _calls(graph_module)]


def count_node(graph_module: GraphModule, target: Any) -> int:
    """How many nodes call ``target``, or are of this name as inputs or attributes."""
    return sum(node.target == target for node in graph_module.graph.nodes)


def op_counts_match(graph_module: GraphModule, expected_op_counts: dict[Any, int]) -> bool:
    """Whether the graph has exactly as many calls of each operator as is said; others may be there."""
    return all(count_node(graph_module, op) == count for op, count in expected_op_counts.items())


def get_compute_nodes_in_gm(graph_module: GraphModule) -> list[Any]:
    """What is called, in order, all overloads of an operator as one."""
    return [packet for node in _calls(graph_module) if (packet := get_overload_packet(node.target))]


def get_node_pos(graph_module: GraphModule, target: Any) -> int:
    """The place of the first node that calls ``target``; -1 if none does."""
    places = (place for place, node in enumerate(graph_module.graph.nodes) if node.target == target)
    return next(places, -1)


def nodes_not_connected_in_gm(graph_module: GraphModule, pred_target: Any, succ_target: Any) -> bool:
    """Whether no call of ``succ_target`` reads one of ``pred_target``."""
    readers = (user for node in graph_module.graph.nodes if node.target == pred_target for user in node.users)
    return not any(user.target == succ_target for user in readers)


def nodes_not_adjacent_in_gm(graph_module: GraphModule, pred_target: Any, succ_target: Any) -> bool:
    """Whether no call of ``succ_target`` stands right behind one of ``pred_target``."""
    nodes = list(graph_module.graph.nodes)
    pairs = itertools.pairwise(nodes)
    return not any((first.target, second.target) == (pred_target, succ_target) for first, second in pairs)


def none_throws(x: PassResult | None) -> PassResult:
    """``x``, which is not None."""
    assert x is not None
    return x


def replace_with_op(
    gm: GraphModule,
    insert_after: Node,
    replacement_op: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    node_to_replace: Node,
) -> Node:
    """Calls an operator behind a node, with all that was noted of the node that it takes the place of."""
    with gm.graph.inserting_after(insert_after):
        made = gm.graph.call_function(replacement_op, args, kwargs)
    made.meta = dict(node_to_replace.meta)
    node_to_replace.replace_all_uses_with(made)
    return made
