"""Quantized padding."""

from __future__ import annotations

import torch
from torch.fx import Graph, GraphModule

from executorch.backends.xnnpack.graph.conversions import tag_as_implicit_q_dq
from executorch.backends.xnnpack.published._passes.edits import edited
from executorch.backends.xnnpack.published._passes.quantized_copies import (
    is_dequantized,
    is_quantization,
    requantized,
)
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.ir.rewriter import is_call
from executorch.passes.infrastructure.pass_base import PassResult


class InsertPadQDQPass(XNNPACKPass):
    """A quantization and a dequantization behind padding of a dequantized value: the padding is done on integers."""

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, _insert)


def _insert(graph: Graph) -> bool:
    modified = False
    for node in list(graph.nodes):
        if not is_call(node, torch.ops.aten.constant_pad_nd.default) or not is_dequantized(node.args[0]):
            continue
        if any(map(is_quantization, node.users)):
            continue
        readers = list(node.users)
        pair = requantized(node, node.args[0])
        for one in pair:
            tag_as_implicit_q_dq(one)
        numbers = pair[-1]
        for reader in readers:
            reader.replace_input_with(node, numbers)
        modified = True
    return modified
