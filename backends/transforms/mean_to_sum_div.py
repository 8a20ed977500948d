"""``mean`` as a sum and a division."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.ir.rewriter import arguments, call_like, is_call, replace
from executorch.ir.values import shape_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


class MeanToSumDiv(GraphPass):
    """``mean.dim`` becomes ``sum.dim_IntList`` divided by the number of elements, a constant of one element.

    A mean over a dimension of unknown size stays: its divisor is no constant.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, _aten.mean.dim):
                modified |= _split(node)
        return modified


def _split(node: Node) -> bool:
    named = arguments(node)
    shape = shape_of(named["self"])
    if shape is None:
        return False
    dims: Any = named["dim"] or range(len(shape))
    sizes = [shape[dim] for dim in dims] if shape else []
    if any(isinstance(size, torch.SymInt) for size in sizes):
        return False
    dtype = node.meta["val"].dtype
    kwargs = {} if named["dtype"] is None else {"dtype": named["dtype"]}
    total = call_like(node, _aten.sum.dim_IntList, (named["self"], named["dim"], named["keepdim"]), kwargs)
    count = call_like(
        node, _aten.full.default, ([1] if shape_of(node) else [], float(math.prod(sizes))), {"dtype": dtype}
    )
    replace(node, call_like(node, _aten.div.Tensor, (total, count)))
    return True


__all__ = ["MeanToSumDiv"]
