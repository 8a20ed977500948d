"""Weights that several delegates or methods read are stored once."""

import pytest
import torch
from torch import nn
from torchao.quantization import quantize_
from torchao.quantization.granularity import PerAxis, PerGroup
from torchao.quantization.quant_api import Int8DynamicActivationIntxWeightConfig

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.emitter import deserialize_pte_binary
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

SIZE = 128


class Shared(nn.Module):
    """Two methods that read one large layer, and small ones of their own."""

    def __init__(self):
        super().__init__()
        self.large, self.small = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, 32)

    def forward(self, x):
        return self.small(torch.relu(self.large(x)))

    def hidden(self, x):
        return torch.tanh(self.large(x))


class Method(nn.Module):
    """A method as a module's ``forward``."""

    def __init__(self, model, name):
        super().__init__()
        self.model, self.name = model, name

    def forward(self, x):
        return getattr(self.model, self.name)(x)


def no_change(model):
    pass


def of_torchao(dtype, granularity):
    return lambda model: quantize_(model, Int8DynamicActivationIntxWeightConfig(dtype, granularity))


#: How weights are stored, and how many bits one of them has (scales aside).
STORED = {
    "float": (no_change, 32),
    "rows of eight bits": (of_torchao(torch.int8, PerAxis(0)), 8),
    "rows of four bits": (of_torchao(torch.int4, PerAxis(0)), 4),
    "groups of four bits": (of_torchao(torch.int4, PerGroup(32)), 4),
}
INPUTS = (torch.randn(3, SIZE),)


def program_of(model, *methods, **options):
    exported = {name: torch.export.export(Method(model, name), INPUTS) for name in methods}
    partitioners = {name: [XnnpackPartitioner(**options)] for name in methods}
    return to_edge_transform_and_lower(exported, partitioner=partitioners).to_executorch()


def blobs_of(buffer):
    return [len(blob) for blob in deserialize_pte_binary(buffer).named_data.buffers]


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("per_op_mode", [False, True])
def test_methods_share_weights(name, per_op_mode):
    quantization, bits = STORED[name]
    model = Shared().eval()
    quantization(model)
    options = {"per_op_mode": per_op_mode}
    both = program_of(model, "forward", "hidden", **options).buffer
    large = SIZE * SIZE * bits // 8
    assert sum(size == large for size in blobs_of(both)) == 1
    for one in ("forward", "hidden"):
        alone = program_of(model, one, **options).buffer
        assert sum(size == large for size in blobs_of(alone)) == 1
        assert len(both) < len(alone) + large, "the second method costs less than the layer"
    program = Runtime.get().load_program(both)
    for one in ("forward", "hidden"):
        result = program.load_method(one).execute(list(INPUTS))[0]
        expected = getattr(model, one)(*INPUTS)
        torch.testing.assert_close(result, expected, atol=0.02, rtol=0.02)


class Tied(nn.Module):
    """Words go in and out through one table: an operator outside reads it, and a delegate."""

    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(512, SIZE), nn.Linear(SIZE, 512, bias=False)
        self.out.weight = self.table.weight

    def forward(self, words):
        return self.out(torch.relu(self.table(words)))


def test_a_weight_inside_and_outside_a_delegate_is_stored_once():
    model, words = Tied().eval(), torch.tensor([[1, 5, 511]])
    edge = to_edge_transform_and_lower(
        torch.export.export(model, (words,)), partitioner=[XnnpackPartitioner()]
    )
    assert any("embedding" in str(node.target) for node in edge.exported_program().graph.nodes)
    buffer = edge.to_executorch().buffer
    weight = model.table.weight.detach().numpy().tobytes()
    assert buffer.count(weight) == 1 and len(buffer) < 1.05 * len(weight)
    result = Runtime.get().load_program(buffer).load_method("forward").execute([words])[0]
    torch.testing.assert_close(result, model(words), atol=1e-5, rtol=1e-5)


def test_equal_weights_of_two_layers_are_one():
    model = nn.Sequential(nn.Linear(SIZE, SIZE), nn.Softmax(0), nn.Linear(SIZE, SIZE)).eval()
    model[2].load_state_dict(model[0].state_dict())
    exported = torch.export.export(model, INPUTS)
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    delegates = [name for name, _ in edge.exported_program().graph_module.named_children()]
    assert len(delegates) == 2, "the softmax over columns is between them"
    buffer = edge.to_executorch().buffer
    assert sorted(blobs_of(buffer)) == [4 * SIZE, 4 * SIZE * SIZE]
    result = Runtime.get().load_program(buffer).load_method("forward").execute(list(INPUTS))[0]
    torch.testing.assert_close(result, model(*INPUTS), atol=1e-5, rtol=1e-5)
