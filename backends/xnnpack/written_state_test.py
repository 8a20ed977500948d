"""State that the program writes is an argument of the delegates that read it, and lasts from one run to the next."""

import copy

import pytest
import torch
from torch import nn

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.runtime import Runtime


class Decaying(nn.Module):
    """Halves a layer's weight in every run."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        with torch.no_grad():
            self.layer.weight.div_(2)
        return torch.relu(self.layer(x))


class Doubling(nn.Module):
    """Doubles a buffer in every run; with ``old``, uses what was there before as well."""

    def __init__(self, old):
        super().__init__()
        self.old = old
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x):
        before = x - self.scale if self.old else x
        self.scale.mul_(2)
        return before * self.scale


MODELS = {
    "weight of a layer": (Decaying(nn.Linear(4, 4)), torch.randn(3, 4)),
    "filter of a convolution": (Decaying(nn.Conv2d(3, 5, 3)), torch.randn(1, 3, 8, 8)),
    "scale of a norm": (Decaying(nn.BatchNorm2d(3).eval()), torch.randn(1, 3, 8, 8)),
    "buffer": (Doubling(old=False), torch.randn(3, 4)),
    "buffer and its old value": (Doubling(old=True), torch.randn(3, 4)),
}


@pytest.mark.parametrize("name", MODELS)
def test_what_is_written_lasts(name):
    model, x = copy.deepcopy(MODELS[name])
    edge = to_edge_transform_and_lower(
        torch.export.export(model.eval(), (x,)), partitioner=[XnnpackPartitioner()]
    )
    inside = {
        target
        for _, delegate, _ in get_lowered_submodules(edge.exported_program().graph_module)
        for target in delegate.original_module.state_dict
    }
    assert inside.isdisjoint({"layer.weight", "scale"})
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for _ in range(3):
        torch.testing.assert_close(method.execute([x])[0], model(x), atol=1e-5, rtol=1e-5)
