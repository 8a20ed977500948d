"""Linear layers again, from the products that decomposition leaves."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule

from executorch.backends.xnnpack._passes.edits import edited, new_call
from executorch.backends.xnnpack.graph.products import product_of
from executorch.dialects import meta_keys
from executorch.dialects.ops import ops
from executorch.ir.rewriter import is_call, replace
from executorch.passes.export_pass import ExportPass
from executorch.passes.pass_base import PassResult

_aten = torch.ops.aten


class ConvertToLinearPass(ExportPass):
    """``addmm`` and ``mm`` with a transposed weight, and the views that fold the batch, become ``linear``."""

    linear_modules: list[Any] = [torch.nn.Linear, torch.nn.functional.linear]
    targets: list[Any] = [ops.edge.aten.mm.default, ops.edge.aten.addmm.default, ops.edge.aten.bmm.default]

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, _to_linear)


def _to_linear(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        if not is_call(node, _aten.addmm.default, _aten.mm.default):
            continue
        if node.kwargs.get("beta", 1) != 1 or node.kwargs.get("alpha", 1) != 1:
            continue
        product = product_of(node)
        # A weight that the model itself stores as (inputs, outputs) is no linear layer's.
        if product is None or product.last:
            continue
        bias = product.bias
        if bias is not None and bias.meta[meta_keys.VAL].dim() != 1:
            continue
        operands = [product.source, product.weight] + ([] if bias is None else [bias])
        with graph.inserting_before(product.result):
            linear = new_call(node, _aten.linear.default, operands)
        replace(product.result, linear)
        modified = True
    return modified
