"""Copies that change nothing."""

from __future__ import annotations

import torch
from torch.fx import Graph, GraphModule

from executorch.backends.xnnpack._passes.edits import edited
from executorch.dialects import meta_keys
from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import replace
from executorch.passes.export_pass import ExportPass
from executorch.passes.pass_base import PassResult

_NAMES = ("aten::clone", "dim_order_ops::_clone_dim_order")


class XNNPACKRemoveCloneOpsTransform(ExportPass):
    """Removes ``clone`` and ``_clone_dim_order`` that keep the order of elements.

    A copy from an input of the graph straight to a result stays: both are memory of the caller.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, _remove)


def _remove(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        op = aten_op(node.target) if node.op == "call_function" else None
        if op is None or op._schema.name not in _NAMES:
            continue
        source = node.args[0]
        before, after = source.meta.get(meta_keys.VAL), node.meta.get(meta_keys.VAL)
        if not isinstance(before, torch.Tensor) or not isinstance(after, torch.Tensor):
            continue
        same = dim_order_of(before.shape, before.stride()) == dim_order_of(after.shape, after.stride())
        joins = source.op == "placeholder" and any(user.op == "output" for user in node.users)
        if same and not joins:
            replace(node, source)
            modified = True
    return modified
