"""Puts fully connected layers together again.

In the edge dialect a linear layer is a transposed copy of its weight and a matrix product. For execution the copy
is waste, in time at every call and in planned memory; ``aten.linear`` reads the weight as it is stored.
"""

from typing import Any, Final

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments, call_like, is_call, replace
from executorch.ir.values import shape_of, value_of
from executorch.ir.views import PERMUTES, TRANSPOSES, VIEWS
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten
_LINEAR: Final = _aten.linear.default


class FuseLinearPass(GraphPass):
    """Replaces ``addmm(bias, x, transpose(w))`` by ``linear(x, w, bias)``, and ``mm(x, transpose(w))`` by ``linear(x, w)``."""

    describes_values = True

    def rewrite_node(self, node: Node) -> bool:
        operands = linear_operands(node)
        if operands is None or not value_of(node).dtype.is_floating_point:
            return False
        replace(node, call_like(node, _LINEAR, operands))
        return True


def linear_operands(node: Node) -> "list[Any] | None":
    """``x, weight[, bias]`` of a matrix product that is a linear layer, its weight as it is stored; None for others."""
    if not is_call(node, _aten.mm.default, _aten.addmm.default):
        return None
    named = arguments(node)
    weight = transposed_matrix(named["mat2"])
    if weight is None:
        return None
    if is_call(node, _aten.mm.default):
        return [named["self"], weight]
    bias = named["self"]
    # Sizes are compared as text: comparing symbols would add guards to the program.
    per_column = [str(size) for size in shape_of(bias) or ()] == [str(value_of(node).shape[1])]
    is_linear = per_column and named["beta"] == 1 and named["alpha"] == 1
    return [named["mat1"], weight, bias] if is_linear else None


def transposed_matrix(node: Any) -> "Node | None":
    """What ``node`` is the matrix transpose of; None when it is something else."""
    if not isinstance(node, Node) or len(shape_of(node) or ()) != 2:
        return None
    if is_call(node, *PERMUTES):
        is_transpose = [dim % 2 for dim in arguments(node)["dims"]] == [1, 0]
    elif is_call(node, *TRANSPOSES):
        is_transpose = {arguments(node)[name] % 2 for name in ("dim0", "dim1")} == {0, 1}
    else:
        is_transpose = is_call(node, _aten.t_copy.default, _aten.t.default)
    return node.all_input_nodes[0] if is_transpose else None


def unfold_views(graph: Graph) -> bool:
    """Takes away views that fold the leading dimensions for a ``linear`` and unfold them again (in place)."""
    modified = False
    for node in list(graph.nodes):
        if not is_call(node, *VIEWS) or not is_call(node.args[0], _LINEAR):
            continue
        linear: Any = node.args[0]
        folded, *weights = linear.args
        if len(linear.users) > 1 or not is_call(folded, *VIEWS):
            continue
        before, after = shape_of(folded.args[0]), shape_of(node)
        if before is None or after is None or list(map(str, before[:-1])) != list(map(str, after[:-1])):
            continue
        if not (_keeps_last(before, shape_of(folded)) and _keeps_last(after, shape_of(linear))):
            continue
        linear.args = (folded.args[0], *weights)
        linear.meta[meta_keys.VAL] = value_of(node)
        replace(node, linear)
        modified = True
    return modified


def _keeps_last(one: Any, other: Any) -> bool:
    """Whether only leading dimensions are folded."""
    return other is not None and str(one[-1:]) == str(other[-1:])


__all__ = ["FuseLinearPass", "linear_operands", "transposed_matrix", "unfold_views"]
