"""Edits of graphs: calls of the right dialect, and example values that stay true."""

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.dialects.torch_types import OpOverload
from executorch.dialects.verifiers import graph_modules
from executorch.ir.values import DERIVED_META, compute_value, description


def edited(
    graph_module: GraphModule,
    rewrite: Callable[[GraphModule], bool],
    *,
    removes_dead_code: bool = True,
    refreshes: bool = True,
) -> bool:
    """Edits a graph and its control-flow bodies, see :func:`edit`; returns whether any changed."""
    modified = False
    for module in list(graph_modules(graph_module)):
        modified |= edit(module, rewrite, removes_dead_code=removes_dead_code, refreshes=refreshes)
    return modified


def edit(
    module: GraphModule,
    rewrite: Callable[[GraphModule], bool],
    *,
    removes_dead_code: bool = True,
    refreshes: bool = True,
) -> bool:
    """Edits one graph, in place, and settles what follows: dead code, example values and the generated code.

    Args:
        module: with the graph.
        rewrite: edits it and says whether it changed.
        removes_dead_code: whether calls without users go.
        refreshes: whether values of edited calls are computed again; not needed where ``rewrite`` gives them.
    """
    before = _calls(module.graph) if refreshes else {}
    if not rewrite(module):
        return False
    if removes_dead_code:
        module.graph.eliminate_dead_code()
    if refreshes:
        now = _calls(module.graph)
        refresh_values(module.graph, [node for node, call in now.items() if before.get(node) != call])
    _describe_results(module.graph)
    module.recompile()
    return True


def _describe_results(graph: Graph) -> None:
    """The output node knows the example values of what it returns; its own result is nobody's argument."""
    output = graph.output_node()
    output.meta[meta_keys.VAL] = map_arg(output.args[0], lambda node: node.meta.get(meta_keys.VAL))


def _calls(graph: Graph) -> dict[Node, Any]:
    return {node: (node.target, node.args, node.kwargs) for node in graph.nodes if node.op == "call_function"}


def refresh_values(graph: Graph, changed: Iterable[Node]) -> None:
    """Computes the example values of ``changed`` again, and of what depends on them as far as sizes or types change."""
    stale = set(changed)
    for node in graph.nodes:
        if node not in stale or not _is_computable(node):
            continue
        value = compute_value(node.target, node.args, node.kwargs, graph.nodes)  # type: ignore[arg-type]
        if description(value) != description(node.meta.get(meta_keys.VAL)):
            for key in DERIVED_META:
                node.meta.pop(key, None)
            node.meta[meta_keys.VAL] = value
            stale.update(node.users)


def _is_computable(node: Node) -> bool:
    if node.op != "call_function" or any(meta_keys.VAL not in arg.meta for arg in node.all_input_nodes):
        return False
    return isinstance(node.target, (EdgeOpOverload, OpOverload)) or node.target is operator.getitem


def new_call(like: Node, op: Any, args: Sequence[Any], kwargs: "dict[str, Any] | None" = None) -> Node:
    """A call at the graph's insertion point with the origin of ``like`` and an example value of its own.

    Args:
        like: what the call stands for, or stands beside.
        op: what is called, as it is.
        args, kwargs: of the call.
    """
    made = like.graph.call_function(op, tuple(args), kwargs or {})
    made.meta = {key: value for key, value in like.meta.items() if key not in DERIVED_META}
    if _is_computable(made):
        made.meta[meta_keys.VAL] = compute_value(op, made.args, made.kwargs, like.graph.nodes)
    return made


def call_like(node: Node, op: Any, args: Sequence[Any], kwargs: "dict[str, Any] | None" = None) -> Node:
    """A new call before ``node``, of the same dialect and origin, with an example value of its own.

    Args:
        node: what the call stands for; the insertion point.
        op: a torch overload; becomes the edge operator where ``node`` calls one.
        args, kwargs: of the call.
    """
    with node.graph.inserting_before(node):
        return new_call(node, in_dialect_of(node, op), args, kwargs)


def in_dialect_of(node: Node, op: OpOverload) -> Any:
    """``op`` as an edge operator where ``node`` calls one, else as it is."""
    return edge_op(op) if isinstance(node.target, EdgeOpOverload) else op


def replace(node: Node, new: Node) -> None:
    """Gives the users of ``node`` another value and removes it."""
    node.replace_all_uses_with(new, propagate_meta=False)
    node.graph.erase_node(node)


def is_call(node: Any, *ops: Any) -> bool:
    """Whether ``node`` calls one of these torch overloads, in either dialect."""
    return isinstance(node, Node) and node.op == "call_function" and aten_op(node.target) in ops


def arguments(node: Node) -> dict[str, Any]:
    """The arguments of an operator call by name, defaults included."""
    op = aten_op(node.target)
    assert op is not None, node
    named: dict[str, Any] = {}
    for position, argument in enumerate(op._schema.arguments):
        if position < len(node.args):
            named[argument.name] = node.args[position]
        else:
            default = argument.default_value if argument.has_default_value() else None
            named[argument.name] = node.kwargs.get(argument.name, default)
    return named


def source_of(node: Node) -> Node:
    """The first argument, which must be a node."""
    (source, *_) = node.args
    assert isinstance(source, Node), node
    return source
