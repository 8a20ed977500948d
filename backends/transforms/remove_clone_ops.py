"""No copies that change nothing."""

from __future__ import annotations

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.graph_edit import is_quantization
from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.ops import ops
from executorch.ir.rewriter import is_call, replace, source_of
from executorch.ir.values import tensor_of
from executorch.passes.pass_base import GraphRewrite

_QUANTIZE = ("quantize_per_tensor", "quantize_per_channel")
_DEQUANTIZE = ("dequantize_per_tensor", "dequantize_per_channel")


class RemoveCloneOpsTransform(GraphRewrite):
    """Removes ``clone`` and ``_clone_dim_order`` that keep the dim order.

    Where that leaves ``dequantize -> quantize`` with equal parameters, both go too.

    Args:
        preserve_input_output_copies: keep a copy from an input of the graph straight to an output of it.
        eliminate_quant_dequant_pairs: remove such pairs.
    """

    clone_ops = {ops.edge.aten.clone.default, ops.edge.dim_order_ops._clone_dim_order.default}

    def __init__(
        self, preserve_input_output_copies: bool = False, eliminate_quant_dequant_pairs: bool = True
    ) -> None:
        super().__init__()
        self._preserve_input_output_copies = preserve_input_output_copies
        self._eliminate_quant_dequant_pairs = eliminate_quant_dequant_pairs

    def rewrite(self, graph_module: GraphModule) -> bool:
        modified = False
        for node in list(graph_module.graph.nodes):
            if node.op != "call_function" or node.target not in self.clone_ops:
                continue
            if self._is_non_identity_clone(node):
                continue
            if self._preserve_input_output_copies and self._is_input_output_copy(node):
                continue
            replace(node, source_of(node))
            modified = True
        if self._eliminate_quant_dequant_pairs:
            modified |= _remove_pairs(graph_module)
        return modified

    def _is_non_identity_clone(self, node: Node) -> bool:
        before, after = tensor_of(node.args[0]), tensor_of(node)
        if before is None or after is None:
            return False
        return dim_order_of(before.shape, before.stride()) != dim_order_of(after.shape, after.stride())

    def _is_input_output_copy(self, node: Node) -> bool:
        return source_of(node).op == "placeholder" and any(user.op == "output" for user in node.users)


def _remove_pairs(graph_module: GraphModule) -> bool:
    modified = False
    for node in list(graph_module.graph.nodes):
        if not is_quantization(node, _QUANTIZE):
            continue
        source = node.args[0]
        if (
            isinstance(source, Node)
            and is_quantization(source, _DEQUANTIZE)
            and source.args[1:] == node.args[1:]
            and isinstance(source.args[0], Node)
            and not is_call(source, torch.ops.quantized_decomposed.dequantize_per_tensor.tensor)
        ):
            replace(node, source.args[0])
            modified = True
    return modified


__all__ = ["RemoveCloneOpsTransform"]
