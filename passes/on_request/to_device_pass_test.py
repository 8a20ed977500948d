"""Tensors that a graph creates go to the device that is asked for."""

import torch

from executorch.passes.on_request.to_device_pass import ToDevicePass


class Model(torch.nn.Module):
    def forward(self, x):
        return x + torch.zeros(3) + torch.arange(3, device="cpu")


def test_creators_change_and_say_so():
    module = torch.export.export(Model(), (torch.ones(3),)).graph_module
    assert not ToDevicePass("cpu")(module).modified
    result = ToDevicePass("meta")(module)
    devices = {node.kwargs["device"] for node in result.graph_module.graph.nodes if "device" in node.kwargs}
    assert result.modified and devices == {torch.device("meta")}
    assert not ToDevicePass(torch.device("meta"))(module).modified
