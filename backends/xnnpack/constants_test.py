"""What is made of constants alone belongs to whoever reads it: delegates, several of them, and what is in none."""

import pytest
import torch
from torch import nn

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.runtime import Runtime

LENGTH = 16


class ReadOutside(nn.Module):
    """Positions are embedded, and compared with a number that the caller gives."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LENGTH, 8)

    def forward(self, x, n):
        positions = torch.arange(LENGTH)
        return x + self.embedding(positions), positions < n


class Returned(nn.Module):
    """Positions are embedded, and returned."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(LENGTH, 8)

    def forward(self, x, n):
        positions = torch.arange(LENGTH)
        return x + self.embedding(positions) * n, positions


class ReadTwice(nn.Module):
    """Two delegates read waves that are made of the same positions, with a sort between them."""

    def forward(self, x, n):
        waves = torch.sin(torch.arange(8) / 3.0)
        return torch.sort(x * waves).values + waves * n, waves


INPUTS = (torch.randn(LENGTH, 8), torch.tensor(4))


def lowered(model, **options):
    exported = torch.export.export(model.eval(), INPUTS)
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner(**options)])


@pytest.mark.parametrize("per_op_mode", [False, True])
@pytest.mark.parametrize("model", [ReadOutside, ReadTwice, Returned])
def test_constants_cross_no_border(model, per_op_mode):
    model = model()
    edge = lowered(model, per_op_mode=per_op_mode)
    delegates = [one for _, one, _ in get_lowered_submodules(edge.exported_program().graph_module)]
    assert delegates
    for one in delegates:
        inside = one.original_module.graph
        crossing = [*inside.find_nodes(op="placeholder"), *inside.output_node().all_input_nodes]
        assert not any(node.name.startswith("aten_arange") for node in crossing)
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    for result, expected in zip(method.execute(list(INPUTS)), model(*INPUTS), strict=True):
        torch.testing.assert_close(result, expected, atol=1e-5, rtol=1e-5)


def test_a_constant_between_two_delegates_separates_none():
    edge = lowered(ReadTwice())
    assert len(list(get_lowered_submodules(edge.exported_program().graph_module))) == 2
