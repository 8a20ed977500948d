"""Max pools that no operator on integers was made of, as the edge dialect has them."""

from __future__ import annotations

import operator

import torch
from torch.fx import Node

from executorch.ir.rewriter import call_like, is_call, new_call, replace
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


class RestorePoolsPass(GraphPass):
    """``max_pool2d`` of one result, which folding asks for, gives places again: kernels for floating point have no other."""

    def rewrite_node(self, node: Node) -> bool:
        if not is_call(node, _aten.max_pool2d.default):
            return False
        both = call_like(node, _aten.max_pool2d_with_indices.default, node.args, node.kwargs)
        with node.graph.inserting_before(node):
            replace(node, new_call(node, operator.getitem, (both, 0)))
        return True


__all__ = ["RestorePoolsPass"]
