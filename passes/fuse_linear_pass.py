"""Puts fully connected layers together again.

In the edge dialect a linear layer is a transposed copy of its weight and a matrix product. For execution the copy
is waste, in time at every call and in planned memory; ``aten.linear`` reads the weight as it is stored.
"""

from typing import Any, Final

import torch
from torch.fx import Node

from executorch.dialects.edge_ops import EdgeOpOverload, aten_op, edge_op
from executorch.ir.values import value_of
from executorch.passes.pass_base import NodePass

_aten = torch.ops.aten
_LINEAR: Final = _aten.linear.default


class FuseLinearPass(NodePass):
    """Replaces ``addmm(bias, x, transpose(w))`` by ``linear(x, w, bias)``, and ``mm(x, transpose(w))`` by ``linear(x, w)``."""

    removes_dead_code = True

    def rewrite(self, node: Node) -> bool:
        op = aten_op(node.target) if node.op == "call_function" else None
        if op is _aten.mm.default and not node.kwargs:
            return _fuse(node, node.args[0], node.args[1], None)
        if (
            op is _aten.addmm.default
            and not node.kwargs
            and len(node.args) == 3
            and has_bias_per_column(node)
        ):
            return _fuse(node, node.args[1], node.args[2], node.args[0])
        return False


def has_bias_per_column(node: Node) -> bool:
    """Whether an ``addmm`` adds one number to each column."""
    bias, result = value_of(node.args[0]), value_of(node)  # type: ignore[arg-type]
    return bias.dim() == 1 and bias.shape[0] == result.shape[1]


def _fuse(node: Node, x: Any, transposed: Any, bias: Any) -> bool:
    weight = transposed_matrix(transposed)
    if weight is None or not value_of(node).dtype.is_floating_point:
        return False
    node.target = edge_op(_LINEAR) if isinstance(node.target, EdgeOpOverload) else _LINEAR
    node.args = (x, weight) if bias is None else (x, weight, bias)
    return True


def transposed_matrix(node: Any) -> "Node | None":
    """What ``node`` is the matrix transpose of; None when it is something else."""
    if not isinstance(node, Node) or node.op != "call_function" or not isinstance(node.args[0], Node):
        return None
    op = aten_op(node.target)
    arguments: Any = node.args[1:]
    if value_of(node).dim() != 2:
        return None
    if op is _aten.permute_copy.default:
        is_transpose = [dim % 2 for dim in arguments[0]] == [1, 0]
    elif op is _aten.transpose_copy.int:
        is_transpose = {dim % 2 for dim in arguments} == {0, 1}
    else:
        is_transpose = op is _aten.t_copy.default
    return node.args[0] if is_transpose else None
