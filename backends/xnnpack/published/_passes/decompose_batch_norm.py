"""Batch norms by themselves, as convolutions of one element for each channel."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.constants import program_constants
from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects.ops import ops
from executorch.ir.constants import add_constant, remove_constants
from executorch.ir.rewriter import is_call
from executorch.ir.values import rank_of
from executorch.partitioner.selection.reasons import WhyNoPartition
from executorch.passes.infrastructure.pass_base import PassResult
from executorch.passes.optimization.batch_norm import (
    BATCH_NORMS,
    batch_norm_refusal,
    factor_and_summand,
    of_batch_norm,
    replace_result,
)

_aten = torch.ops.aten


class DecomposeBatchNorm(XNNPACKPass):
    """A batch norm over two, three or four dimensions becomes a depthwise convolution with a kernel of one."""

    BATCH_NORM_OPS = {
        ops.edge.aten._native_batch_norm_legit_no_training.default,
        ops.edge.aten.native_batch_norm.default,
    }

    @staticmethod
    def can_decompose_batch_norm(
        node: Node, exported_program: ExportedProgram, why: WhyNoPartition | None = None
    ) -> bool:
        """Whether ``node`` is a batch norm with constants, whose result is all that is used.

        Args:
            node: any call.
            exported_program: of which ``node`` is a part.
            why: is told the reason if it is not.
        """
        reason = _refusal(node, exported_program)
        if reason is not None and why is not None:
            why(node, reason)
        return reason is None

    @staticmethod
    def compute_w_and_b(
        eps: float,
        running_mean: torch.Tensor,
        running_var: torch.Tensor,
        gamma: torch.Tensor,
        beta: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Factor and summand for each channel; both (channels,), as are the tensors given."""
        scale, shift = factor_and_summand(running_mean, running_var, gamma, beta, eps)
        return scale.to(running_mean.dtype), shift.to(running_mean.dtype)

    def replace_bn_node_with_conv(self, bn_node: Node, graph_module: GraphModule) -> Node:
        """Makes a convolution of what the batch norm reads, which has three or four dimensions; returns it."""
        return self._convolution(bn_node, bn_node.args[0], graph_module.graph)

    def decompose_node(self, node: Node, graph_module: GraphModule) -> None:
        """Puts a convolution in the place of a batch norm, if it can be."""
        if self.can_decompose_batch_norm(node, self.exported_program):
            self._decompose(node, graph_module.graph)

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._decompose_all)

    def _decompose_all(self, graph: Graph) -> bool:
        found = [
            node
            for node in graph.nodes
            if is_call(node, *BATCH_NORMS) and self.can_decompose_batch_norm(node, self.exported_program)
        ]
        for node in found:
            self._decompose(node, graph)
        return bool(found)

    def _decompose(self, node: Node, graph: Graph) -> None:
        old = node.args[1:5]
        source: Any = node.args[0]
        flat = rank_of(source) == 2
        with graph.inserting_before(node):
            given = new_call(node, _aten.unsqueeze_copy.default, (source, 2)) if flat else source
            made = self._convolution(node, given, graph)
            result = new_call(node, _aten.squeeze_copy.dims, (made, [2])) if flat else made
        replace_result(node, result)
        remove_constants(self.exported_program, old)

    def _convolution(self, norm: Node, source: Any, graph: Graph) -> Node:
        constants = program_constants(self.exported_program)
        dtype = constants(norm.args[3]).dtype  # type: ignore[arg-type, union-attr]
        scale, shift = (one.to(dtype) for one in of_batch_norm(norm, constants))
        axes = (rank_of(source) or 0) - 2
        stem = norm.args[1].name if isinstance(norm.args[1], Node) else norm.name
        stem = stem.removeprefix("p_")
        values = {"weight": scale.detach().reshape(-1, 1, *[1] * axes), "bias": shift.detach()}
        weight, bias = (
            add_constant(self.exported_program, value, f"{stem}_decomposed_bn_{name}", InputKind.PARAMETER)
            for name, value in values.items()
        )
        ones, zeros = [1] * axes, [0] * axes
        arguments = (source, weight, bias, ones, zeros, ones, False, zeros, scale.numel())
        with graph.inserting_before(norm):
            return new_call(norm, _aten.convolution.default, arguments)


def _refusal(node: Node, program: ExportedProgram) -> str | None:
    if not is_call(node, *BATCH_NORMS):
        return "it is no batch norm"
    rank = rank_of(node.args[0])
    if rank not in (2, 3, 4):
        return f"BatchNorm1d and BatchNorm2d are known, here the input has {rank} dimensions"
    return batch_norm_refusal(node, program_constants(program).has)
