"""``linear`` again, from the ``addmm`` and ``mm`` with a transposed weight that decomposition leaves."""

from __future__ import annotations

from typing import Any

from torch.fx import Graph, Node

from executorch.ir.values import shape_of
from executorch.passes.optimization.fuse_linear_pass import FuseLinearPass, unfold_views


class AddmmToLinearTransform(FuseLinearPass):
    """``addmm(bias, x, weight.T)`` and ``mm(x, weight.T)`` become ``linear(x, weight, bias)``."""


def apply_addmm_mm_to_linear_transform(graph: Graph) -> Graph:
    """Does the same to one graph, in place, and returns it."""
    return replace_addmm_mm_with_linear(graph)


def replace_addmm_mm_with_linear(graph: Graph) -> Graph:
    """``linear`` for every ``addmm`` and ``mm`` that is one; in place."""
    fuse = FuseLinearPass()
    if sum(fuse.rewrite_node(node) for node in graph.nodes):
        graph.eliminate_dead_code()
    return graph


def replace_linear_view_copy_input_output(graph: Graph) -> Graph:
    """Takes away the views that fold the leading dimensions for a ``linear`` and unfold them again; in place."""
    if unfold_views(graph):
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


__all__ = [
    "AddmmToLinearTransform",
    "apply_addmm_mm_to_linear_transform",
    "get_dqlinear_input",
    "get_shape",
    "replace_addmm_mm_with_linear",
    "replace_linear_view_copy_input_output",
]
