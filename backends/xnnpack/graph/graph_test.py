"""Which nodes a subgraph becomes: no transposes, copies or arithmetic that need not be."""

import math

import torch

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.serialization.blob import unpack
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules


class Call(torch.nn.Module):
    def __init__(self, function, **modules):
        super().__init__()
        self.function = function
        for name, module in modules.items():
            self.add_module(name, module)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def nodes_of(model, *inputs):
    """The names of the XNNPACK nodes of the one delegate, in order."""
    program = torch.export.export(model.eval(), inputs)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    ((_, lowered, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    graph, _ = unpack(lowered.processed_bytes)
    assert [_id_of(value) for value in graph.xvalues] == list(range(len(graph.xvalues)))
    return [type(node.xnode_union).__name__.removeprefix("XNN") for node in graph.xnodes]


def _id_of(value):
    union = value.xvalue_union
    return getattr(union, "tensor_value", union).id_out


def convolution():
    return torch.nn.Conv2d(4, 4, 3, padding=1)


IMAGE = torch.rand(1, 4, 6, 6)


def test_a_residual_block_is_transposed_at_its_borders():
    model = Call(
        lambda self, x: torch.relu(self.b(torch.sigmoid(self.a(x))) + x), a=convolution(), b=convolution()
    )
    names = nodes_of(model, IMAGE)
    assert names.count("StaticTranspose") == 2


def test_channels_last_inputs_and_results_are_not_transposed():
    model = Call(lambda self, x: self.a(x) * 2, a=convolution())
    names = nodes_of(model, IMAGE.to(memory_format=torch.channels_last))
    assert "StaticTranspose" not in names


def test_two_permutations_are_one_and_opposite_ones_none():
    once = Call(lambda self, x: x.permute(0, 2, 3, 1).permute(0, 2, 1, 3) + 1)
    assert nodes_of(once, IMAGE) == ["StaticTranspose", "Add"]
    never = Call(lambda self, x: x.permute(0, 2, 3, 1).permute(0, 3, 1, 2) + 1)
    assert nodes_of(never, IMAGE) == ["Add"]


def test_channels_that_the_model_moves_last_are_there_already():
    model = Call(lambda self, x: self.a(x).permute(0, 2, 3, 1) + 1, a=convolution())
    assert nodes_of(model, IMAGE) == ["StaticTranspose", "Conv2d", "Add"]


def test_a_norm_behind_a_convolution_is_part_of_it():
    model = Call(
        lambda self, x: torch.relu(self.norm(self.a(x))), a=convolution(), norm=torch.nn.BatchNorm2d(4)
    )
    assert nodes_of(model, IMAGE) == ["StaticTranspose", "Conv2d", "StaticTranspose"]


def test_what_is_made_of_constants_is_a_constant():
    table = torch.nn.Embedding(8, 4)
    model = Call(lambda self, x: x + self.table(torch.arange(6)) * 2, table=table)
    assert nodes_of(model, torch.rand(1, 6, 4)) == ["Add"]


def test_a_gelu_that_is_spelled_out():
    spellings = (
        lambda self, x: x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2))),
        lambda self, x: 0.5 * (x * (1 + torch.erf(x * 0.7071067811865476))),
        lambda self, x: (1 + torch.erf(x / 2**0.5)) * (x / 2),
    )
    for spelling in spellings:
        assert nodes_of(Call(spelling), IMAGE) == ["Gelu"]


def test_results_that_nothing_reads_are_not_calculated():
    model = Call(lambda self, x: torch.split(x, [1, 2, 1], 1)[1] + 1)
    assert nodes_of(model, IMAGE) == ["StaticSlice", "Add"]
