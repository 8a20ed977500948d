"""A call as the graph of a function that calculates the same."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import Node
from torch.fx.experimental.proxy_tensor import make_fx

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.dialects.torch_types import FakeTensor, FakeTensorMode, OpOverload
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import replace
from executorch.ir.values import DERIVED_META, tensor_of


def inline_traced(
    node: Node,
    function: Callable[..., Any],
    operands: Sequence[Node],
    constant: str,
    *,
    keeps_layers: bool = False,
    allows_real: bool = True,
    accepts: Callable[[torch.fx.GraphModule], bool] | None = None,
) -> bool:
    """Writes what ``function`` calculates before ``node`` and gives it to the users of ``node``. In place.

    Args:
        node: a call; if it has several results, only its ``getitem`` are read.
        function: called with the tensors of ``operands``; gives a tensor, or as many as ``node`` has.
        operands: with example values.
        constant: what tensors are called that the function makes of nothing.
        keeps_layers: whether ``linear`` and its like stay whole.
        allows_real: whether example values may be real tensors.
        accepts: asked with what was traced whether it is to be written.

    Returns:
        Whether it was written.

    Raises:
        RuntimeError: an operand has no example value.
    """
    values = [tensor_of(operand) for operand in operands]
    if any(value is None for value in values):
        raise RuntimeError(
            f"{node} has an operand without an example value: run it through torch.export first"
        )
    mode = next((value.fake_mode for value in values if isinstance(value, FakeTensor)), None)
    with mode or FakeTensorMode(allow_non_fake_inputs=allows_real):
        traced = make_fx(function, pre_dispatch=keeps_layers, _allow_non_fake_inputs=allows_real)(*values)
    traced.graph.eliminate_dead_code()
    if accepts is not None and not accepts(traced):
        return False
    copies: dict[Node, Any] = dict(zip(traced.graph.find_nodes(op="placeholder"), operands, strict=True))
    for source in traced.graph.nodes:
        if source.op == "output":
            _hand_over(node, source.args[0], copies)
        elif source.op == "get_attr":
            with node.graph.inserting_before(node):
                copies[source] = add_attribute(node.graph, getattr(traced, str(source.target)), constant)
        elif source.op == "call_function":
            copies[source] = _copied(node, source, copies)
    return True


def _hand_over(node: Node, results: Any, copies: dict[Node, Any]) -> None:
    if isinstance(results, Node):
        replace(node, copies[results])
        return
    for user in [one for one in node.users if one.target is operator.getitem]:
        replace(user, copies[results[user.args[1]]])
    # Not every operator is dead code without readers: some are random, in training.
    node.graph.erase_node(node)


def _copied(node: Node, source: Node, copies: dict[Node, Any]) -> Node:
    with node.graph.inserting_before(node):
        made = node.graph.node_copy(source, lambda arg: copies[arg])
    if source.target is torch.ops.aten._unsafe_view.default:
        made.target = torch.ops.aten.view.default  # the former is no core ATen operator
    if isinstance(node.target, EdgeOpOverload) and isinstance(made.target, OpOverload):
        made.target = edge_op(made.target)
    made.meta = {key: value for key, value in node.meta.items() if key not in DERIVED_META}
    made.meta[meta_keys.VAL] = source.meta.get(meta_keys.VAL)
    return made


__all__ = ["inline_traced"]
