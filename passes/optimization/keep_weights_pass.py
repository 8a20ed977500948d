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

from executorch.ir.rewriter import call_like
from executorch.ir.values import value_of
from executorch.passes.infrastructure.pass_base import GraphPass
from executorch.passes.optimization.fuse_linear_pass import linear_operands, transposed_matrix
from executorch.passes.to_execution.sym_shape_eval_pass import example_or_bound, upper_bound

_aten = torch.ops.aten
#: A product reads a matrix along its rows faster than along its columns: so much so that turning round input and result
#: pays even where the weight would be turned round ahead of time, as long as the weight is this much larger.
_GAIN: Final = 2


class KeepWeightsPass(GraphPass):
    """Replaces ``addmm(bias, x, transpose(w))`` by ``transpose(addmm(column(bias), w, transpose(x)))``, and ``mm`` likewise.

    Args:
        constants: values that can be transposed ahead of time. A layer with one of these that has no other use stays,
            unless its weight is much larger than its input and result together.
        adds_bias_apart: biases keep their shape, since another file has them in it.
    """

    describes_values = True

    def __init__(self, constants: Collection[Node] = (), adds_bias_apart: bool = False) -> None:
        self._constants = constants
        self._adds_bias_apart = adds_bias_apart

    def rewrite_node(self, node: Node) -> bool:
        operands = linear_operands(node)
        if operands is None or not self._is_worth_it(*operands[:2]):
            return False
        self._turn_round(node, *operands)
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

    def _turn_round(self, node: Node, x: Any, weight: Node, bias: Any = None) -> None:
        rows, inner = value_of(x).shape
        columns = value_of(weight).shape[0]
        single = type(rows) is int and rows == 1
        arguments: list[Any] = [weight]
        if single:
            arguments.append(call_like(node, _aten.view_copy.default, (x, [inner, 1])))
        else:
            arguments.append(call_like(node, _aten.permute_copy.default, (x, [1, 0])))
        if bias is not None and not self._adds_bias_apart:
            arguments.insert(0, call_like(node, _aten.view_copy.default, (bias, [columns, 1])))
        op = _aten.mm.default if len(arguments) == 2 else _aten.addmm.default
        product = call_like(node, op, arguments)
        if single:
            result = call_like(node, _aten.view_copy.default, (product, [1, columns]))
        else:
            result = call_like(node, _aten.permute_copy.default, (product, [1, 0]))
        if bias is not None and self._adds_bias_apart:
            result = call_like(node, _aten.add.Tensor, (result, bias))
        node.replace_all_uses_with(result)


def _at_most(size: Any) -> "int | None":
    bound = upper_bound(size)
    return example_or_bound(size) if bound is None else bound


__all__ = ["KeepWeightsPass"]
