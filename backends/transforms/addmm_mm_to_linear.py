"""``linear`` again, from the ``addmm`` and ``mm`` with a transposed weight that decomposition leaves."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.transforms.graph_edit import VIEWS, permutation_of, same_shape
from executorch.ir.rewriter import arguments, call_like, is_call, replace
from executorch.ir.values import shape_of
from executorch.passes.pass_base import GraphRewrite

_aten = torch.ops.aten
_TRANSPOSED = (_aten.t_copy.default, _aten.t.default)


class AddmmToLinearTransform(GraphRewrite):
    """``addmm(bias, x, weight.T)`` and ``mm(x, weight.T)`` become ``linear(x, weight, bias)``."""

    def rewrite(self, graph_module: GraphModule) -> bool:
        return _to_linear(graph_module.graph)


def apply_addmm_mm_to_linear_transform(graph: Graph) -> Graph:
    """Does the same to one graph, in place, and returns it."""
    return replace_addmm_mm_with_linear(graph)


def replace_addmm_mm_with_linear(graph: Graph) -> Graph:
    """``linear`` for every ``addmm`` and ``mm`` that is one; in place."""
    if _to_linear(graph):
        graph.eliminate_dead_code()
    return graph


def replace_linear_view_copy_input_output(graph: Graph) -> Graph:
    """Takes away the views that fold the leading dimensions for a ``linear`` and unfold them again; in place."""
    for node in list(graph.nodes):
        if not is_call(node, *VIEWS) or not is_call(node.args[0], _aten.linear.default):
            continue
        linear: Any = node.args[0]
        folded, *weights = linear.args
        if len(linear.users) > 1 or not is_call(folded, *VIEWS):
            continue
        source, before, after = folded.args[0], shape_of(folded.args[0]), shape_of(node)
        if before is not None and after is not None and same_shape(before[:-1], after[:-1]):
            replace(node, call_like(node, _aten.linear.default, (source, *weights), linear.kwargs))
    graph.eliminate_dead_code()
    return graph


def get_shape(input_node: Node) -> Any:
    """The sizes of a node's tensor, as ``torch.export`` saw it; None where it has none."""
    return shape_of(input_node)


def get_dqlinear_input(node: Node) -> Node | None:
    """What is dequantized into the input of a ``linear``; None where the input was not quantized."""
    source = node.args[0]
    if isinstance(source, Node) and "dequantize" in str(source.target):
        return source.args[0] if isinstance(source.args[0], Node) else None
    return None


def _to_linear(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        operands = _operands(node)
        if operands is not None:
            replace(node, call_like(node, _aten.linear.default, operands))
            modified = True
    return modified


def _operands(node: Node) -> list[Any] | None:
    """``x, weight[, bias]`` of a matrix product that is a linear layer."""
    if not is_call(node, _aten.addmm.default, _aten.mm.default):
        return None
    named = arguments(node)
    weight = _untransposed(named["mat2"])
    if weight is None:
        return None
    if is_call(node, _aten.mm.default):
        return [named["self"], weight]
    shape, features = shape_of(named["self"]), shape_of(weight)
    is_bias = shape is not None and features is not None and same_shape(shape, features[:1])
    if not is_bias or named["beta"] != 1 or named["alpha"] != 1:
        return None
    return [named["mat1"], weight, named["self"]]


def _untransposed(node: Any) -> Node | None:
    if is_call(node, *_TRANSPOSED) or permutation_of(node) == [1, 0]:
        (source, *_) = node.args
        return source if isinstance(source, Node) else None
    return None


__all__ = [
    "AddmmToLinearTransform",
    "apply_addmm_mm_to_linear_transform",
    "get_dqlinear_input",
    "get_shape",
    "replace_addmm_mm_with_linear",
    "replace_linear_view_copy_input_output",
]
