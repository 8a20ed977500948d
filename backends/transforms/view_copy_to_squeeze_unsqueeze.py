"""``squeeze`` and ``unsqueeze`` again, from the views that decomposition leaves."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.ir.rewriter import call_like, is_call, replace
from executorch.ir.values import shape_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


class ViewCopyToSqueezeUnsqueezePass(GraphPass):
    """A ``view_copy`` that only drops dimensions of size 1 becomes ``squeeze_copy.dims``, one that adds one
    ``unsqueeze_copy``."""

    def __init__(self) -> None:
        super().__init__()

    def is_node_target(self, node: Node, target: Any) -> bool:
        """Whether ``node`` calls this operator, in either dialect."""
        return is_call(node, target) or (node.op == "call_function" and node.target == target)

    def find_squeeze_dims(self, input_shape: list[int], view_shape: list[int]) -> list[int] | None:
        """The dimensions of size 1 that are in the input alone; None if the view does anything else."""
        dims = _inserted_ones(view_shape, input_shape)
        return dims or None

    def find_unsqueeze_dim(self, input_shape: list[int], view_shape: list[int]) -> int | None:
        """Where the view adds one dimension of size 1; None if it does anything else."""
        if len(view_shape) != len(input_shape) + 1:
            return None
        dims = _inserted_ones(input_shape, view_shape)
        return dims[0] if dims else None

    def replace_view_copy_node(
        self, graph_module: GraphModule, view_node: Node, op: Any, arg: list[int] | int
    ) -> None:
        """Puts ``op(source, arg)`` in place of a view."""
        replace(view_node, call_like(view_node, op, (view_node.args[0], arg)))

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if not is_call(node, _aten.view_copy.default):
                continue
            before, after = shape_of(node.args[0]), shape_of(node)
            if before is None or after is None:
                continue
            dims = self.find_squeeze_dims(list(before), list(after))
            dim = self.find_unsqueeze_dim(list(before), list(after))
            if dims is not None:
                self.replace_view_copy_node(graph_module, node, _aten.squeeze_copy.dims, dims)
            elif dim is not None:
                self.replace_view_copy_node(graph_module, node, _aten.unsqueeze_copy.default, dim)
            modified |= dims is not None or dim is not None
        return modified


def _inserted_ones(shorter: list[Any], longer: list[Any]) -> list[int] | None:
    """The dimensions of size 1 in which ``longer`` is more than ``shorter``; None if there is another difference."""
    dims: list[int] = []
    position = 0
    for dim, size in enumerate(longer):
        if position < len(shorter) and str(size) == str(shorter[position]):
            position += 1
        elif str(size) == "1":
            dims.append(dim)
        else:
            return None
    return dims if position == len(shorter) else None


__all__ = ["ViewCopyToSqueezeUnsqueezePass"]
