"""Batch norms folded into the weights before them."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.constants import program_constants
from executorch.backends.xnnpack.published._passes.edits import edited
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.ir.constants import add_constant, remove_constants
from executorch.ir.rewriter import is_call
from executorch.partitioner.selection.reasons import WhyNoPartition
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.optimization.batch_norm import BATCH_NORMS, fuse, fusion_refusal

_aten = torch.ops.aten


class FuseBatchNormPass(XNNPACKPass):
    """A batch norm behind a convolution or a linear layer becomes that layer's weights.

    The new weights are parameters of the program; the old ones go when nothing else reads them.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._fuse)

    def _fuse(self, graph: Graph) -> bool:
        modified = False
        for norm in list(graph.nodes):
            if not is_call(norm, *BATCH_NORMS):
                continue
            layer = norm.args[0]
            if self.can_fuse(layer, norm, self.exported_program):
                self._fuse_one(graph, layer, norm)
                modified = True
        return modified

    @staticmethod
    def can_fuse(
        input_node: Node, bn: Node, program: ExportedProgram, why: WhyNoPartition | None = None
    ) -> bool:
        """Whether the weights of ``input_node`` can do what ``bn`` does.

        Args:
            input_node: what the batch norm reads.
            bn: the batch norm.
            program: of which both are a part.
            why: is told the reason if they cannot.
        """
        reason = _refusal(input_node, bn, program)
        if reason is not None and why is not None:
            why(bn, reason)
        return reason is None

    def _fuse_one(self, graph: Graph, layer: Node, norm: Node) -> None:
        weight_node: Any = layer.args[1]
        bias_node: Any = layer.args[2] if len(layer.args) > 2 else None
        stem = _stem(weight_node)
        stems = {"weight": stem, "bias": _stem(bias_node) if bias_node is not None else f"{stem}_bias"}
        old = [weight_node, bias_node, *norm.args[1:5]]

        def add(value: torch.Tensor, kind: str) -> Node:
            return add_constant(self.exported_program, value, f"{stems[kind]}_fused_bn", InputKind.PARAMETER)

        fuse(layer, norm, program_constants(self.exported_program), add)
        remove_constants(self.exported_program, old)


def _stem(node: Node) -> str:
    """The name of a constant without the prefix that tells its kind."""
    return node.name[1:] if node.name.startswith(("p_", "b_", "c_")) else node.name


def _refusal(layer: Any, norm: Node, program: ExportedProgram) -> str | None:
    weights = layer.args[1:3] if is_call(layer, _aten.convolution.default, _aten.linear.default) else ()
    if any(one is not None and one.op != "placeholder" for one in weights):
        return "the layer's weights are quantized, or calculated by the model"
    return fusion_refusal(layer, norm, program_constants(program).has)
