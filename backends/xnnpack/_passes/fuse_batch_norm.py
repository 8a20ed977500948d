"""Batch norms folded into the weights before them."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack._passes.edits import edited
from executorch.backends.xnnpack._passes.xnnpack_pass import XNNPACKPass
from executorch.backends.xnnpack.graph.constants import program_constants
from executorch.backends.xnnpack.graph.fusion import first_result, folded
from executorch.dialects import meta_keys
from executorch.ir.constants import add_constant, remove_constants
from executorch.ir.rewriter import is_call, replace
from executorch.partitioner.reasons import WhyNoPartition
from executorch.passes.pass_base import PassResult

_aten = torch.ops.aten
BATCH_NORMS = (_aten._native_batch_norm_legit_no_training.default, _aten.native_batch_norm.default)


def batch_norm_refusal(node: Node, program: ExportedProgram) -> str | None:
    """Why a batch norm is not a product and a sum that are known ahead of time, None if it is.

    Args:
        node: calls one of ``BATCH_NORMS``.
        program: of which ``node`` is a part.
    """
    if is_call(node, _aten.native_batch_norm.default) and node.args[5]:
        return "it is in training"
    if any(user.users or user.args[1:] == (0,) for user in node.users if user.args[1:] != (0,)):
        return "its statistics are used"
    if not any(user.args[1:] == (0,) for user in node.users):
        return "its result is not used"
    constants = program_constants(program)
    for name, one in zip(("weight", "bias", "mean", "variance"), node.args[1:5], strict=True):
        if one is not None and not (isinstance(one, Node) and constants.has(one)):
            return f"its {name} is not a constant"
    return "its mean or variance is missing" if None in node.args[3:5] else None


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
        constants = program_constants(self.exported_program)
        weight_node: Any = layer.args[1]
        bias_node: Any = layer.args[2] if len(layer.args) > 2 else None
        weight = constants(weight_node)
        assert weight is not None
        bias = None if bias_node is None else constants(bias_node)
        channel = 1 if is_call(layer, _aten.convolution.default) and layer.args[6] else 0
        tensors = folded(weight, bias, norm, constants, channel)
        stem = _stem(weight_node)
        names = (stem, _stem(bias_node) if bias_node is not None else f"{stem}_bias")
        new = [
            add_constant(self.exported_program, tensor.detach(), f"{name}_fused_bn", InputKind.PARAMETER)
            for name, tensor in zip(names, tensors, strict=True)
        ]
        old = [weight_node, bias_node, *norm.args[1:5]]
        layer.args = (layer.args[0], *new, *layer.args[3:])
        result = first_result(norm)
        replace(result, layer)
        for user in list(norm.users):
            graph.erase_node(user)
        graph.erase_node(norm)
        remove_constants(self.exported_program, old)


def _stem(node: Node) -> str:
    """The name of a constant without the prefix that tells its kind."""
    return node.name[1:] if node.name.startswith(("p_", "b_", "c_")) else node.name


def _refusal(layer: Any, norm: Node, program: ExportedProgram) -> str | None:
    if not is_call(layer, _aten.convolution.default, _aten.linear.default):
        return "it does not read a convolution or a linear layer"
    if len(layer.users) != 1:
        return "the layer's result is used elsewhere too"
    value = norm.args[0].meta[meta_keys.VAL]  # type: ignore[union-attr]
    if is_call(layer, _aten.linear.default) and value.dim() != 2:
        return "the channels are not the layer's outputs"
    if is_call(layer, _aten.convolution.default) and layer.args[6] and layer.args[8] != 1:
        return "a transposed convolution has groups"
    constants = program_constants(program)
    weight, bias = layer.args[1], layer.args[2] if len(layer.args) > 2 else None
    if any(one is not None and (one.op != "placeholder" or not constants.has(one)) for one in (weight, bias)):
        return "the layer's weights are quantized, or calculated by the model"
    return batch_norm_refusal(norm, program)
