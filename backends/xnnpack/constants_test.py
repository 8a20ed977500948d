"""What is made of constants alone belongs to whoever reads it: delegates, several of them, and what is in none."""

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.backends.xnnpack.graph.constants import Constants, preparation
from executorch.exir import to_edge, to_edge_transform_and_lower
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


def standardized(layer):
    weight = layer.weight.reshape(1, layer.out_channels, -1)
    weight = nn.functional.batch_norm(weight, None, None, training=True, eps=1e-6)
    return weight.reshape_as(layer.weight)


def of_unit_variance(layer):
    variance, mean = torch.var_mean(layer.weight, dim=[1, 2, 3], keepdim=True, unbiased=False)
    return (layer.weight - mean) / torch.sqrt(variance + 1e-6)


class Prepared(nn.Module):
    """A layer whose weight is made of its parameters in every call."""

    def __init__(self, prepare):
        super().__init__()
        self.layer, self.prepare = nn.Conv2d(3, 6, 3), prepare

    def forward(self, x):
        return nn.functional.conv2d(x, self.prepare(self.layer), self.layer.bias)


class Cosine(nn.Module):
    """Angles between the input and rows of a weight."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(5, 8))

    def forward(self, x):
        return nn.functional.linear(x, nn.functional.normalize(self.weight))


class RelativePositions(nn.Module):
    """A bias for each pair of positions, by a small network from how far they are apart."""

    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(1, 16), nn.ReLU(), nn.Linear(16, 2, bias=False))
        positions = torch.arange(8)
        self.register_buffer("distances", torch.linspace(-1, 1, 15)[:, None])
        self.register_buffer("pairs", positions[:, None] - positions[None, :] + 7)

    def forward(self, x):
        bias = self.network(self.distances)[self.pairs.view(-1)].view(8, 8, 2).permute(2, 0, 1)
        return torch.softmax(x + 16 * torch.sigmoid(bias), -1)


class Orthogonal(nn.Module):
    """A weight that steps of Newton and Schulz make orthogonal: each reads the one before it three times."""

    def __init__(self, steps):
        super().__init__()
        self.weight, self.steps = nn.Parameter(torch.randn(8, 8) / 8), steps

    def forward(self, x):
        weight = self.weight
        for _ in range(self.steps):
            weight = 1.5 * weight - 0.5 * (weight @ weight.T) @ weight
        return x @ weight


class HalfFilter(nn.Module):
    """A filter that is stored in half of the bits that it is used with, and standardized."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(64, 64, 3, bias=False).half()

    def forward(self, x):
        weight = self.layer.weight.float()
        return nn.functional.conv2d(x, weight - weight.mean([1, 2, 3], keepdim=True))


class Masked(nn.Module):
    """Sums of floats that a mask of bytes makes 0 or keeps."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.rand(128, 256) < 0.5)

    def forward(self, x):
        return (x + 1) * self.mask.float()


class Regions(nn.Module):
    """Shifted windows: rows and columns of different regions, whose numbers are written in place, do not attend to each other."""

    def forward(self, x):
        regions = x.new_zeros(8, 8)
        spans = (slice(0, -4), slice(-4, -2), slice(-2, None))
        for number, (rows, columns) in enumerate((one, other) for one in spans for other in spans):
            regions[rows, columns] = number
        windows = regions.view(2, 4, 2, 4).permute(0, 2, 1, 3).reshape(4, 16)
        between = windows[:, None] - windows[:, :, None]
        mask = between.masked_fill(between != 0, -100.0).masked_fill(between == 0, 0.0)
        return torch.softmax(x + mask, -1)


class Causal(nn.Module):
    """Positions from the fourth on; each attends to the five before it."""

    def forward(self, x):
        keys = torch.arange(16)
        distance = keys[:, None] - keys[None, :]
        allowed = (distance >= 0) & (distance < 5) & ~torch.ones(16, 16, dtype=torch.bool).triu(4) | (
            keys == 0
        )
        return torch.softmax(x + torch.where(allowed, 0.0, -100.0), -1)


PREPARED = {
    "standardized": (Prepared(standardized), (2, 3, 9, 9)),
    "of unit variance": (Prepared(of_unit_variance), (2, 3, 9, 9)),
    "weight norm": (nn.utils.parametrizations.weight_norm(nn.Conv1d(3, 6, 3)), (2, 3, 9)),
    "weight norm, transposed": (
        nn.utils.parametrizations.weight_norm(nn.ConvTranspose1d(3, 6, 4, 2)),
        (2, 3, 9),
    ),
    "spectral norm": (nn.utils.parametrizations.spectral_norm(nn.Conv2d(3, 6, 3)), (2, 3, 9, 9)),
    "rows of one length": (Cosine(), (4, 8)),
    "relative positions": (RelativePositions(), (2, 8, 8)),
    "orthogonal": (Orthogonal(12), (4, 8)),
    "stored in half": (HalfFilter(), (1, 64, 5, 5)),
    "a mask": (Masked(), (1, 128, 256)),
    "regions written in place": (Regions(), (4, 16, 16)),
    "a causal mask": (Causal(), (2, 16, 16)),
}


@pytest.mark.parametrize("name", PREPARED)
def test_weights_that_calls_prepare_are_constants(name):
    """XNNPACK has no convolution with a calculated filter; such stayed outside, with all that made their weights."""
    model, sizes = PREPARED[name]
    x = (torch.randn(sizes),)
    edge = to_edge_transform_and_lower(
        torch.export.export(model.eval(), x), partitioner=[XnnpackPartitioner()]
    )
    names = [str(node.target) for node in edge.exported_program().graph.nodes if node.op == "call_function"]
    assert len(names) == 2, names  # the delegate and its result
    method = Runtime.get().load_program(edge.to_executorch().buffer).load_method("forward")
    torch.testing.assert_close(method.execute(list(x))[0], model(*x).detach(), atol=1e-5, rtol=1e-5)


class Counted(TorchDispatchMode):
    """Counts matrix products."""

    products = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.products += func is torch.ops.aten.mm.default
        return func(*args, **(kwargs or {}))


def test_what_is_read_several_times_is_made_once():
    model = Orthogonal(3)
    program = to_edge(torch.export.export(model, (torch.randn(4, 8),))).exported_program()
    reader = program.graph.output_node().all_input_nodes[0]
    weight = reader.args[1]
    calls = preparation(weight)
    assert len(calls) == len({*calls})
    constants = Constants(program)
    assert constants.has(weight)
    with Counted() as counted:
        made = constants(weight)
    assert counted.products == 2 * 3
    torch.testing.assert_close(made, model(torch.eye(8)).detach())


class Narrow(nn.Module):
    """A weight that is stored in eight bits, and a scale for each output, for the result or for the weight."""

    def __init__(self, scales_weight):
        super().__init__()
        self.register_buffer("weight", torch.randint(-127, 128, (256, 256), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(256) / 100)
        self.scales_weight = scales_weight

    def forward(self, x):
        weight = self.weight.to(x.dtype)
        if self.scales_weight:
            return nn.functional.linear(x, weight * self.scales[:, None])
        return nn.functional.linear(x, weight) * self.scales


@pytest.mark.parametrize("scales_weight", [False, True])
def test_weights_that_are_stored_in_eight_bits_stay_so(scales_weight):
    model, x = Narrow(scales_weight).eval(), (torch.randn(2, 256),)
    edge = to_edge_transform_and_lower(torch.export.export(model, x), partitioner=[XnnpackPartitioner()])
    buffer = edge.to_executorch().buffer
    assert 256 * 256 < len(buffer) < 2 * 256 * 256
    result = Runtime.get().load_program(buffer).load_method("forward").execute(list(x))[0]
    torch.testing.assert_close(result, model(*x), atol=1e-5, rtol=1e-5)


def test_a_cast_of_an_attribute_without_a_value_is_no_constant():
    program = torch.export.export(Cosine(), (torch.randn(4, 8),))
    graph = program.graph
    with graph.inserting_before(graph.output_node()):
        attribute = graph.create_node("get_attr", "table")
        cast = graph.call_function(torch.ops.aten._to_copy.default, (attribute,), {"dtype": torch.float32})
    cast.meta["val"] = torch.empty(4)
    assert not Constants(program).has(cast)
