"""Calls of operators that write arguments and have no functional form, wrapped as torch's functionalization does it.

``auto_functionalized_v2(op, value, start, _cache_base_index=0, _all_bases=[cache])`` gives the operator's own results, and then
the new value of each tensor of ``_all_bases``. At the end of lowering ``RestoreMutatingOpsPass`` makes the call of the operator out
of it again.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload, can_auto_functionalize
from executorch.ir.values import compute_value, value_of
from executorch.passes.decomposition.op_recorder import OWN_META, NotLocalError
from executorch.passes.infrastructure.functional_forms import written_arguments


def written_nodes(node: Node, op: OpOverload) -> list[Node]:
    """What a call writes, in the order of its arguments; arguments that are left out are not among them.

    Raises:
        NotLocalError: the operator cannot be wrapped, or writes what is no tensor of the graph.
    """
    if not can_auto_functionalize(op) or any(ret.alias_info is not None for ret in op._schema.returns):
        raise NotLocalError(f"{op} has no functional form")
    given = _arguments(node, op)
    found = [given.get(op._schema.arguments[position].name) for position in written_arguments(op)]
    nodes = [value for value in found if value is not None]
    if not all(isinstance(value, Node) and isinstance(value_of(value), torch.Tensor) for value in nodes):
        raise NotLocalError(f"{node.name} writes what is no tensor of the graph")
    if len(set(nodes)) < len(nodes):
        raise NotLocalError(f"{node.name} writes a tensor twice")
    return nodes  # type: ignore[return-value]


def wrap(graph: Graph, node: Node, op: OpOverload) -> tuple[Node, list[Node]]:
    """The wrapped call at the graph's insertion point, and the new values of :func:`written_nodes`; ``node``'s own
    results are read from the wrapped call afterwards."""
    given = _arguments(node, op)
    bases: list[Node] = []
    indices: dict[str, int | None] = {}
    for position in written_arguments(op):
        name = op._schema.arguments[position].name
        base = given.pop(name, None)
        indices[f"_{name}_base_index"] = None if base is None else len(bases)
        bases += [] if base is None else [base]
    wrapped = graph.call_function(
        torch.ops.higher_order.auto_functionalized_v2, (op,), {**given, **indices, "_all_bases": bases}
    )
    wrapped.meta = {key: item for key, item in node.meta.items() if key not in OWN_META}
    results = _results(node, op)
    copies = [compute_value(torch.ops.aten.clone.default, (base,), {}, (node,)) for base in bases]
    wrapped.meta[meta_keys.VAL] = (*results, *copies)
    news = [element(graph, wrapped, len(results) + i) for i in range(len(bases))]
    _hand_on_results(graph, node, op, wrapped)
    return wrapped, news


def element(graph: Graph, whole: Node, index: int) -> Node:
    """One of several results."""
    created = graph.call_function(operator.getitem, (whole, index))
    created.meta = {key: item for key, item in whole.meta.items() if key not in OWN_META}
    created.meta[meta_keys.VAL] = value_of(whole)[index]
    return created


def _arguments(node: Node, op: OpOverload) -> dict[str, Any]:
    names = [argument.name for argument in op._schema.arguments]
    return {**dict(zip(names, node.args, strict=False)), **node.kwargs}


def _results(node: Node, op: OpOverload) -> tuple[Any, ...]:
    """An operator without results gives None, which has a place too."""
    if len(op._schema.returns) < 2:
        return (node.meta.get(meta_keys.VAL),)
    return tuple(value_of(node))


def _hand_on_results(graph: Graph, node: Node, op: OpOverload, wrapped: Node) -> None:
    if len(op._schema.returns) == 1 and node.users:
        node.replace_all_uses_with(element(graph, wrapped, 0), propagate_meta=False)
        return
    for user in list(node.users):
        if user.target is not operator.getitem:
            raise NotLocalError(f"{user.name} takes all results of {node.name} at once")
        user.replace_input_with(node, wrapped)


__all__ = ["wrap", "written_nodes"]
