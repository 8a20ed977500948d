"""Clamping activations as a property of the operator before them."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.fusion import clamp_limits
from executorch.backends.xnnpack.published._passes.edits import edited
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.backends.xnnpack.serialization.schema import OutputMinMax
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.ops import ops
from executorch.ir.rewriter import is_call, replace
from executorch.passes.infrastructure.pass_base import PassResult

_aten = torch.ops.aten


class FuseActivationPass(XNNPACKPass):
    """``relu`` and ``hardtanh`` behind an operator that clamps for nothing: a range in that operator's meta.

    The range is under ``FUSED_ACTIVATION_TAG``; of activations behind each other it is what all of them leave.
    """

    FUSED_ACTIVATION_TAG = "XNN_FUSED_ACTIVATION"
    FUSEABLE_OPS: list[Any] = [
        ops.edge.aten.convolution.default,
        ops.edge.aten.add.Tensor,
        ops.edge.aten.sub.Tensor,
        ops.edge.aten.mul.Tensor,
        ops.edge.aten.linear.default,
    ]
    FUSEABLE_ACTIVATIONS: list[Any] = [ops.edge.aten.relu.default, ops.edge.aten.hardtanh.default]

    @staticmethod
    def get_fused_activation(node: Node) -> OutputMinMax | None:
        """The range that a node clamps its result to, None if it does not."""
        found: OutputMinMax | None = node.meta.get(FuseActivationPass.FUSED_ACTIVATION_TAG)
        return found

    def get_output_min_max_from_activation(self, activation_node: Node) -> OutputMinMax:
        """The range of an activation.

        Raises:
            ValueError: it does more than clamping to a range.
        """
        limits = clamp_limits(activation_node)
        if limits is None:
            raise ValueError(f"{activation_node.name} does not clamp to a range of two ascending numbers")
        return OutputMinMax(output_min=limits[0], output_max=limits[1])

    def call(self, graph_module: GraphModule) -> PassResult:
        return edited(graph_module, self._fuse)

    def _fuse(self, graph: Graph) -> bool:
        modified = False
        activations = [aten_op(one) for one in self.FUSEABLE_ACTIVATIONS]
        operators = [aten_op(one) for one in self.FUSEABLE_OPS]
        for node in list(graph.nodes):
            before: Any = (
                node.args[0] if is_call(node, *activations) and clamp_limits(node) is not None else None
            )
            if not is_call(before, *operators) or len(before.users) != 1:
                continue
            wanted = self.get_output_min_max_from_activation(node)
            known = self.get_fused_activation(before)
            low = wanted.output_min if known is None else max(known.output_min, wanted.output_min)
            high = wanted.output_max if known is None else min(known.output_max, wanted.output_max)
            if low >= high:
                continue
            before.meta[self.FUSED_ACTIVATION_TAG] = OutputMinMax(output_min=low, output_max=high)
            replace(node, before)
            modified = True
        return modified
