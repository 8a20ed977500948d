"""Makes tensors that a graph creates on another device."""

import torch
from torch.fx import GraphModule

from executorch.passes.infrastructure.pass_base import PassBase, PassResult


class ToDevicePass(PassBase):
    """Sets the ``device`` argument of every call that has one; weights and inputs stay where they are.

    Args:
        device: where tensors are to be created.
    """

    def __init__(self, device: "str | torch.device") -> None:
        self.device = torch.device(device)

    def call(self, graph_module: GraphModule) -> PassResult:
        modified = False
        for module in graph_module.modules():
            if not isinstance(module, GraphModule):
                continue
            for node in module.graph.nodes:
                device = node.kwargs.get("device")
                if node.op == "call_function" and device is not None and torch.device(device) != self.device:
                    node.kwargs = {**node.kwargs, "device": self.device}
                    modified = True
            module.recompile()
        return PassResult(graph_module, modified)


__all__ = ["ToDevicePass"]
