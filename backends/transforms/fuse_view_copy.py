"""One view for a chain of views."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.graph_edit import view_arguments
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, replace, source_of
from executorch.ir.values import shape_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = ops.edge.aten
_VIEW = torch.ops.aten.view_copy.default


class FuseViewCopyTransform(GraphPass):
    """Merges ``view_copy`` nodes that follow each other, also over operators that treat every element alike.

    The first view takes the sizes of the last; the operators in between then run on these sizes. Links of a chain
    have one user each.
    """

    VIEW_OP = _aten.view_copy.default
    #: One input, each element by itself, no argument about sizes.
    UNARY_ELEMENTWISE_OPS = [
        _aten._to_copy.default,
        ops.edge.dim_order_ops._clone_dim_order.default,
        ops.edge.dim_order_ops._to_dim_order_copy.default,
        ops.edge.quantized_decomposed.quantize_per_tensor.default,
        ops.edge.quantized_decomposed.dequantize_per_tensor.default,
        *(
            getattr(_aten, name).default
            for name in [
                "alias_copy",
                "clone",
                "abs",
                "clamp",
                "ceil",
                "exp",
                "floor",
                "gelu",
                "hardtanh",
                "log",
                "neg",
                "reciprocal",
                "relu",
                "round",
                "rsqrt",
                "sigmoid",
                "sign",
                "silu",
                "sqrt",
                "tanh",
            ]
        ),
    ]

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if node.users and is_call(node, _VIEW):
                modified |= self._merge(node)
        return modified

    def _merge(self, view: Node) -> bool:
        """Gives ``view`` the sizes of the last view that can be reached over its only users."""
        chain: list[Node] = []
        last = 0
        node = view
        while len(node.users) == 1:
            node = next(iter(node.users))
            if is_call(node, _VIEW):
                last = len(chain) + 1
            elif node.target not in self.UNARY_ELEMENTWISE_OPS or not _is_contiguous(node):
                break
            chain.append(node)
        chain = chain[:last]
        shape = shape_of(chain[-1]) if chain else None
        if shape is None:
            return False
        sizes = _sizes(chain[-1], view, shape)
        if sizes is None:
            return False
        current = call_like(view, _VIEW, (view.args[0], sizes))
        replace(view, current)
        for link in chain:
            if is_call(link, _VIEW):
                replace(link, source_of(link))
            elif "dim_order" in link.kwargs:
                link.kwargs = {**link.kwargs, "dim_order": list(range(len(shape)))}
        return True


def _is_contiguous(node: Node) -> bool:
    order: Any = node.kwargs.get("dim_order")
    return "memory_format" not in node.kwargs and (order is None or list(order) == sorted(order))


def _sizes(last: Node, first: Node, shape: Any) -> Any:
    """Arguments of the merged view, which stands where ``first`` stands: nodes made after it cannot be used."""
    sizes: Any = last.args[1]
    if not any(isinstance(size, Node) for size in sizes):
        return list(sizes)
    order = {node: position for position, node in enumerate(first.graph.nodes)}
    if all(order[size] < order[first] for size in sizes if isinstance(size, Node)):
        return list(sizes)
    return view_arguments(last, shape)


__all__ = ["FuseViewCopyTransform"]
