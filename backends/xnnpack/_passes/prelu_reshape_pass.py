"""Slopes with the rank of the image."""

from __future__ import annotations

from typing import Any

import torch
from torch.export.graph_signature import InputKind
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack._passes.channels_last_tagged_reshape_pass import (
    ChannelsLastTaggedReshapePass,
)
from executorch.backends.xnnpack._passes.edits import is_call, rank_of
from executorch.backends.xnnpack._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.dialects.verifiers import graph_modules
from executorch.passes.pass_base import PassResult
from executorch.passes.program import fake_mode_of, input_spec_of


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
        spec = input_spec_of(self.exported_program).get(slopes.name)
        layers = [is_call(user, torch.ops.aten.prelu.default) for user in slopes.users]
        if spec is None or spec.target is None or not all(layers):
            return False
        state: Any = self.exported_program.state_dict
        home = state if spec.target in state else self.exported_program.constants
        tensor = home[spec.target].detach().reshape(1, -1, 1, 1).contiguous(memory_format=torch.channels_last)
        is_parameter = spec.kind is InputKind.PARAMETER
        home[spec.target] = torch.nn.Parameter(tensor, requires_grad=False) if is_parameter else tensor
        mode = fake_mode_of(graph.nodes)
        slopes.meta[meta_keys.VAL] = tensor if mode is None else mode.from_tensor(tensor, static_shapes=True)
        ChannelsLastTaggedReshapePass.mark_as_nhwc_node(slopes)
        return True
