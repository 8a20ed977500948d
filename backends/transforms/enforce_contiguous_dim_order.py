"""Contiguous values inside of a graph; inputs and outputs keep their dim order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, replace, source_of
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_own = torch.ops.dim_order_ops
_CLONE = _own._clone_dim_order.default
_CHANGING = (_CLONE, _own._to_dim_order_copy.default)


def _contiguous_dim_order(ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim))


def _is_contiguous(dim_order: Sequence[int]) -> bool:
    return tuple(dim_order) == _contiguous_dim_order(len(dim_order))


class EnforceContiguousDimOrder(GraphPass):
    """Calculates in contiguous order throughout.

    Inputs of another order are copied behind their placeholders, results of another order before the output; copies
    in between that change only the order are removed.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        graph = graph_module.graph
        output = graph.output_node()
        wanted = {node: _order(node) for node in output.all_input_nodes}
        modified = False
        for node in list(graph.nodes):
            if node.op == "placeholder":
                modified |= _copy_input(node)
            elif is_call(node, *_CHANGING):
                modified |= _settle_copy(node, wanted)
            elif is_call(node, _own._empty_dim_order.default):
                modified |= _set_order(node)
        return _copy_outputs(output, wanted) or modified


def _order(node: Any) -> tuple[int, ...] | None:
    value = tensor_of(node)
    return None if value is None else tuple(dim_order_of(value.shape, value.stride()))


def _node_is_input_boundary_clone(node: Node) -> bool:
    """Whether ``node`` puts an input of another order in contiguous order."""
    source, order = node.args[0], _order(node.args[0])
    return (
        is_call(node, _CLONE)
        and isinstance(source, Node)
        and source.op == "placeholder"
        and order is not None
        and not _is_contiguous(order)
        and _is_contiguous(_order(node) or ())
    )


def _node_is_output_boundary_clone(node: Node) -> bool:
    """Whether ``node`` puts a contiguous value in another order for the output only."""
    before, after = _order(node.args[0]), _order(node)
    if not is_call(node, _CLONE) or before is None or after is None or not _feeds_output(node):
        return False
    return _is_contiguous(before) and not _is_contiguous(after)


def _feeds_output(node: Node) -> bool:
    return all(user.op == "output" for user in node.users)


def _copy_input(node: Node) -> bool:
    order = _order(node)
    users = [user for user in node.users if user.op != "output" and not _node_is_input_boundary_clone(user)]
    if order is None or _is_contiguous(order) or not users:
        return False
    anchor = next(other for other in node.graph.nodes if other.op != "placeholder")
    copy = call_like(anchor, _CLONE, (node,), {"dim_order": list(_contiguous_dim_order(len(order)))})
    copy.target = ops.edge.dim_order_ops._clone_dim_order.default
    for user in users:
        user.replace_input_with(node, copy)
    return True


def _settle_copy(node: Node, wanted: dict[Node, Any]) -> bool:
    if _node_is_input_boundary_clone(node) or _node_is_output_boundary_clone(node):
        return False
    before, after = tensor_of(node.args[0]), tensor_of(node)
    assert before is not None and after is not None, node
    if before.dtype is not after.dtype or before.device != after.device:
        return _set_order(node)
    source = source_of(node)
    if node in wanted:
        wanted.setdefault(source, wanted[node])
    replace(node, source)
    return True


def _set_order(node: Node) -> bool:
    value, order = tensor_of(node), _order(node)
    if value is None or order is None or _is_contiguous(order):
        return False
    node.kwargs = {**node.kwargs, "dim_order": list(_contiguous_dim_order(value.dim()))}
    return True


def _copy_outputs(output: Node, wanted: dict[Node, Any]) -> bool:
    modified = False
    for node in output.all_input_nodes:
        order = wanted.get(node)
        if order is None or _is_contiguous(order) or node.op == "placeholder":
            continue
        if is_call(node, _CLONE) and _node_is_output_boundary_clone(node):
            continue
        copy = call_like(output, _CLONE, (node,), {"dim_order": list(order)})
        copy.target = ops.edge.dim_order_ops._clone_dim_order.default
        output.replace_input_with(node, copy)
        modified = True
    return modified


__all__ = ["EnforceContiguousDimOrder"]
