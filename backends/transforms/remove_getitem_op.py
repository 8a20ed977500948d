"""Operators with one result in place of those whose other results nobody reads."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassBase, PassResult

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op

_ATEN = torch.ops.aten
#: overload with several results -> the one that gives the first alone.
_FIRST_ALONE = {
    _ATEN.max_pool2d_with_indices.default: _ATEN.max_pool2d.default,
    _ATEN.max.dim: _ATEN.amax.default,
    _ATEN.min.dim: _ATEN.amin.default,
}


class RemoveGetItemPass(PassBase):
    """``max_pool2d_with_indices``, ``max.dim`` and ``min.dim`` become ``max_pool2d``, ``amax`` and ``amin``.

    Done where only the values are read; where the indices are read too the node stays. ATen and edge graphs.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for node in list(graph_module.graph.nodes):
            single = _FIRST_ALONE.get(aten_op(node.target))
            if node.op == "call_function" and single is not None:
                modified = _replace(graph_module, node, single) or modified
        if modified:
            graph_module.graph.eliminate_dead_code()
            graph_module.recompile()
        return PassResult(graph_module, modified)


def _replace(graph_module: GraphModule, node: Node, single: Any) -> bool:
    # Tracing leaves results that nobody reads as nodes without users.
    readers = [user for user in node.users if user.users or user.target is not operator.getitem]
    if not readers or any(user.target is not operator.getitem or user.args[1] != 0 for user in readers):
        return False
    target = edge_op(single) if isinstance(node.target, EdgeOpOverload) else single
    with graph_module.graph.inserting_before(node):
        made = graph_module.graph.call_function(target, node.args, node.kwargs)
    _copy_node_metadata(node, made)
    for user in readers:
        user.replace_all_uses_with(made)
    for user in list(node.users):
        graph_module.graph.erase_node(user)
    graph_module.graph.erase_node(node)
    return True


def _copy_node_metadata(node: Node, new_max_wd: Node) -> None:
    """Gives the new node the meta of the old one, with the first of its values."""
    new_max_wd.meta = dict(node.meta)
    new_max_wd.meta[meta_keys.VAL] = node.meta[meta_keys.VAL][0]
