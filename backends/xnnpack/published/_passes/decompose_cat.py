"""Concatenations of many values, a few at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule

from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.ir.rewriter import is_call, replace
from executorch.passes.infrastructure.export_pass import ExportPass
from executorch.passes.infrastructure.pass_base import PassResult

#: Inputs of an XNNPACK node that concatenates.
_MOST_INPUTS = 5


class DecomposeConcatenate(ExportPass):
    """A ``cat`` of more than five values becomes a chain of such with at most five."""

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, _chained)


def _chained(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        if not is_call(node, torch.ops.aten.cat.default) or len(node.args[0]) <= _MOST_INPUTS:
            continue
        tensors: Any = list(node.args[0])
        with graph.inserting_before(node):
            while len(tensors) > 1:
                whole = new_call(
                    node, torch.ops.aten.cat.default, (tensors[:_MOST_INPUTS], *node.args[1:]), node.kwargs
                )
                tensors = [whole, *tensors[_MOST_INPUTS:]]
        replace(node, tensors[0])
        modified = True
    return modified
