"""Transposes what a fully connected layer works on in place of its weight.

In the edge dialect a linear layer is a matrix product with a transposed copy of its weight. Where the weight is a constant
that nobody else reads, the copy can be made ahead of time. Where it is not (the table of an embedding that is
the output layer too, weights that are trained, kept in another file, or given by the caller) the copy would be made in
every call, and planned for. ``x @ w.T`` is ``(w @ x.T).T``, which copies the layer's input and result instead; of a single
row these are views. That is also faster for constants if there are few rows.
"""

from collections.abc import Collection
from typing import Any, Final

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.ir.values import compute_value, value_of
from executorch.passes.fuse_linear_pass import has_bias_per_column, transposed_matrix
from executorch.passes.pass_base import NodePass
from executorch.passes.sym_shape_eval_pass import example_or_bound, upper_bound

_aten = torch.ops.aten
#: A product reads a matrix along its rows faster than along its columns: so much so that turning round input and result
#: pays even where the weight would be turned round ahead of time, as long as the weight is this much larger.
_GAIN: Final = 2


class KeepWeightsPass(NodePass):
    """Replaces ``addmm(bias, x, transpose(w))`` by ``transpose(addmm(column(bias), w, transpose(x)))``, and ``mm`` likewise.

    Args:
        constants: values that can be transposed ahead of time. A layer with one of these that has no other use stays,
            unless its weight is much larger than its input and result together.
        adds_bias_apart: biases keep their shape, since another file has them in it.
    """

    removes_dead_code = True

    def __init__(self, constants: Collection[Node] = (), adds_bias_apart: bool = False) -> None:
        self._constants = constants
        self._adds_bias_apart = adds_bias_apart

    def rewrite(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if node.kwargs or not (
            op is _aten.mm.default or (op is _aten.addmm.default and has_bias_per_column(node))
        ):
            return False
        x, transposed = node.args[-2:]
        weight = transposed_matrix(transposed)
        if weight is None or not self._is_worth_it(x, weight):
            return False
        self._turn_round(node, x, weight)
        return True

    def _is_worth_it(self, x: Any, weight: Node) -> bool:
        rows, inner = value_of(x).shape
        if type(rows) is int and rows == 1:
            return True
        height, width, depth = _at_most(rows), _at_most(value_of(weight).shape[0]), _at_most(inner)
        if height is None or width is None or depth is None:
            return False
        ahead_of_time = weight in self._constants and all(
            transposed_matrix(user) is weight for user in weight.users
        )
        return (_GAIN if ahead_of_time else 1) * height * (width + depth) < width * depth

    def _turn_round(self, node: Node, x: Any, weight: Node) -> None:
        rows, inner = value_of(x).shape
        columns = value_of(weight).shape[0]
        single = type(rows) is int and rows == 1
        arguments: list[Any] = [weight]
        if single:
            arguments.append(_insert(node, _aten.view_copy.default, x, [inner, 1]))
        else:
            arguments.append(_insert(node, _aten.permute_copy.default, x, [1, 0]))
        has_bias = len(node.args) == 3
        if has_bias and not self._adds_bias_apart:
            arguments.insert(0, _insert(node, _aten.view_copy.default, node.args[0], [columns, 1]))
        op = _aten.mm.default if len(arguments) == 2 else _aten.addmm.default
        product = _insert(node, op, *arguments)
        if single:
            result = _insert(node, _aten.view_copy.default, product, [1, columns])
        else:
            result = _insert(node, _aten.permute_copy.default, product, [1, 0])
        if has_bias and self._adds_bias_apart:
            result = _insert(node, _aten.add.Tensor, result, node.args[0])
        node.replace_all_uses_with(result)


def _at_most(size: Any) -> "int | None":
    bound = upper_bound(size)
    return example_or_bound(size) if bound is None else bound


def _insert(node: Node, op: Any, *args: Any) -> Node:
    """A call before ``node``, for the same place of the model."""
    with node.graph.inserting_before(node):
        target = edge_op(op) if isinstance(node.target, EdgeOpOverload) else op
        call = node.graph.call_function(target, args)
    call.meta = {key: value for key, value in node.meta.items() if key not in (meta_keys.SPEC, meta_keys.VAL)}
    call.meta[meta_keys.VAL] = compute_value(op, args, {}, node.graph.nodes)
    return call


__all__ = ["KeepWeightsPass"]
