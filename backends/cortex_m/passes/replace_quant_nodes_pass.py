"""Quantization that is left, on kernels of this library."""

from __future__ import annotations

from torch.fx import Node

from executorch.backends.cortex_m.passes.folding import cortex_m
from executorch.backends.cortex_m.passes.quantized_values import DTYPES, integers_of, name_of, quantized_by
from executorch.dialects.edge_ops import EdgeOpOverload, edge_op
from executorch.ir.rewriter import new_call, replace
from executorch.passes.infrastructure.pass_base import GraphPass

_OWN = {
    "quantized_decomposed::quantize_per_tensor": cortex_m.quantize_per_tensor.default,
    "quantized_decomposed::dequantize_per_tensor": cortex_m.dequantize_per_tensor.default,
}


class ReplaceQuantNodesPass(GraphPass):
    """Quantizations and dequantizations of int8 and int16, with one scale that is known, become those of ``cortex_m``.

    For what stands around a delegate, so that firmware needs no kernels of ``quantized_decomposed``. Other types stay.

    Raises:
        ValueError: the graph is not of the edge dialect.
    """

    def rewrite_node(self, node: Node) -> bool:
        own = _OWN.get(name_of(node))
        if own is None or not node.users:
            return False
        if quantized_by(node) is None and integers_of(node, *DTYPES) is None:
            return False
        if not isinstance(node.target, EdgeOpOverload):
            raise ValueError("ReplaceQuantNodesPass is for edge programs; call to_edge before it")
        with node.graph.inserting_before(node):
            replace(node, new_call(node, edge_op(own), node.args[:6]))
        return True


__all__ = ["ReplaceQuantNodesPass"]
