"""What these passes share: new calls and constants in a graph, and example values that stay true."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.verifiers import graph_modules
from executorch.passes.fake_values import compute_value
from executorch.passes.pass_base import PassResult

_DERIVED_META = frozenset({meta_keys.VAL, meta_keys.SPEC, "tensor_meta"})


def edited(graph_module: GraphModule, rewrite: Callable[[Graph], bool]) -> PassResult:
    """What a pass returns that edits graphs in place.

    Args:
        graph_module: it and the bodies of its control flow are edited.
        rewrite: edits one graph and says whether it changed it. Dead code and example values are looked after.
    """
    modified = False
    for module in list(graph_modules(graph_module)):
        before = _calls(module.graph)
        if not rewrite(module.graph):
            continue
        module.graph.eliminate_dead_code()
        refresh_values(module.graph, {n for n, call in _calls(module.graph).items() if before.get(n) != call})
        module.recompile()
        modified = True
    return PassResult(graph_module, modified)


def _calls(graph: Graph) -> dict[Node, Any]:
    return {node: (node.target, node.args, node.kwargs) for node in graph.nodes if node.op == "call_function"}


def refresh_values(graph: Graph, changed: set[Node]) -> None:
    """Computes the example values of ``changed`` again, and of what follows from them."""
    stale = set(changed)
    for node in graph.nodes:
        if node not in stale or not _is_computable(node):
            continue
        value = compute_value(node.target, node.args, node.kwargs, graph.nodes)
        if _description(value) != _description(node.meta.get(meta_keys.VAL)):
            for key in _DERIVED_META:
                node.meta.pop(key, None)
            node.meta[meta_keys.VAL] = value
            stale.update(node.users)


def _is_computable(node: Node) -> bool:
    known = all(meta_keys.VAL in one.meta for one in node.all_input_nodes)
    operators = (EdgeOpOverload, torch._ops.OpOverload)
    return known and (isinstance(node.target, operators) or node.target is operator.getitem)


def _description(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_description(one) for one in value]
    if isinstance(value, torch.Tensor):
        # As text: comparing symbols would add guards to the program.
        return value.dtype, str(tuple(value.shape)), str(value.stride())
    return str(value)


def new_call(like: Node, op: Any, args: Sequence[Any], kwargs: dict[str, Any] | None = None) -> Node:
    """A call at the graph's insertion point, in the dialect of ``like`` and with its origin, with a value of its own.

    Args:
        like: what the call stands for, or stands beside.
        op: an ATen overload; becomes the edge operator.
        args, kwargs: of the call.
    """
    target = edge_op(op) if isinstance(op, torch._ops.OpOverload) else op
    made = like.graph.call_function(target, tuple(args), kwargs or {})
    made.meta = {key: value for key, value in like.meta.items() if key not in _DERIVED_META}
    if _is_computable(made):
        made.meta[meta_keys.VAL] = compute_value(target, made.args, made.kwargs, like.graph.nodes)
    return made


def replace(node: Node, new: Node) -> None:
    """Gives the users of ``node`` another value, and takes it out."""
    node.replace_all_uses_with(new, propagate_meta=False)
    node.graph.erase_node(node)


def is_call(node: Any, *ops: Any) -> bool:
    """Whether ``node`` calls one of these ATen overloads, in either dialect."""
    return isinstance(node, Node) and node.op == "call_function" and aten_op(node.target) in ops


def rank_of(node: Any) -> int | None:
    """How many dimensions the tensor of a node has, None where there is none."""
    value = node.meta.get(meta_keys.VAL) if isinstance(node, Node) else None
    return value.dim() if isinstance(value, torch.Tensor) else None
