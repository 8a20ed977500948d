"""No copies to contiguous order that the next copy undoes."""

from __future__ import annotations

import torch
from torch.fx import GraphModule

from executorch.dialects.dim_order import dim_order_of
from executorch.ir.rewriter import is_call, replace, source_of
from executorch.ir.values import tensor_of
from executorch.passes.infrastructure.pass_base import GraphPass

_COPY = torch.ops.dim_order_ops._to_dim_order_copy.default


class MergeToDimPass(GraphPass):
    """``_to_dim_order_copy`` of ``_to_dim_order_copy`` back to the order and type of the first's input is removed."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            first = node.args[0] if is_call(node, _COPY) else None
            if not is_call(first, _COPY):
                continue
            before, between, after = tensor_of(first.args[0]), tensor_of(first), tensor_of(node)  # type: ignore[union-attr]
            if before is None or between is None or after is None:
                continue
            same_type = before.dtype is between.dtype is after.dtype
            orders = [dim_order_of(value.shape, value.stride()) for value in (before, after)]
            if same_type and orders[0] == orders[1]:
                replace(node, source_of(first))  # type: ignore[arg-type]
                modified = True
        return modified


__all__ = ["MergeToDimPass"]
