"""Slopes with the rank of the image."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.published._passes.channels_last_tagged_reshape_pass import (
    ChannelsLastTaggedReshapePass,
)
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects.verifiers import graph_modules
from executorch.ir.constants import set_constant
from executorch.ir.rewriter import is_call
from executorch.ir.signature import state_inputs, state_value
from executorch.ir.values import rank_of
from executorch.passes.infrastructure.pass_base import PassResult


class PReLUReshapePass(XNNPACKPass):
    """The slopes of a ``prelu`` with channels last become (1, channels, 1, 1), themselves with channels last.

    XNNPACK broadcasts them over the image then. ``ChannelsLastTaggedReshapePass`` tells which those are.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_modules(graph_module):
            changed = self._reshape(module.graph)
            if changed:
                module.recompile()
            modified |= changed
        return PassResult(graph_module, modified)

    def _reshape(self, graph: Graph) -> bool:
        modified = False
        for node in graph.nodes:
            if not is_call(node, torch.ops.aten.prelu.default):
                continue
            slopes: Any = node.args[1]
            if ChannelsLastTaggedReshapePass.is_nhwc_node(node) and rank_of(slopes) == 1:
                modified |= self._reshape_slopes(slopes, graph)
        return modified

    def _reshape_slopes(self, slopes: Node, graph: Graph) -> bool:
        spec = state_inputs(self.exported_program.graph_signature).get(slopes.name)
        layers = [is_call(user, torch.ops.aten.prelu.default) for user in slopes.users]
        if spec is None or not all(layers):
            return False
        tensor = state_value(self.exported_program, spec).detach().reshape(1, -1, 1, 1)
        set_constant(self.exported_program, slopes, tensor.contiguous(memory_format=torch.channels_last))
        ChannelsLastTaggedReshapePass.mark_as_nhwc_node(slopes)
        return True
