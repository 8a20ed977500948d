"""Bytes as functions of the inputs' sizes."""

import pytest
import torch
from torch.export import Dim, export

from executorch.memory_planning.size_expressions import NoFunctionError, bytes_of, evaluate


class Resizes(torch.nn.Module):
    def forward(self, x, y):
        return {
            "same": x.half(),
            "product": x[:, None] * y[None],
            "joined": torch.cat([x, x, y.new_zeros(3)]),
            "window": torch.nn.functional.avg_pool1d(x[None], 3, stride=2),
            "square": x[:, None] * x[None],
            "half": torch.nn.functional.avg_pool1d(y[None], 2),
        }


@pytest.fixture(scope="module")
def values():
    x, y = Dim("x", min=5, max=100), Dim("y", min=4, max=60)
    program = export(Resizes(), (torch.ones(10), torch.ones(20)), dynamic_shapes=({0: x}, {0: y}))
    outputs = program.graph_module.graph.output_node().args[0]
    named = {
        spec.arg.name: node for spec, node in zip(program.graph_signature.output_specs, outputs, strict=True)
    }
    inputs = [node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"]
    keys = ("same", "product", "joined", "window", "square", "half")
    symbols = {value.shape[0].node.expr: number for number, value in enumerate(inputs)}
    return dict(zip(keys, (node.meta["val"] for node in named.values()), strict=True)), symbols


@pytest.mark.parametrize("sizes", [(5, 4), (10, 20), (100, 60), (7, 59)])
def test_bytes_are_those_of_the_tensors_that_eager_makes(values, sizes):
    examples, symbols = values
    made = Resizes()(torch.ones(sizes[0]), torch.ones(sizes[1]))
    for name, example in examples.items():
        assert evaluate(bytes_of(example, symbols), sizes) == made[name].nbytes, name


def test_what_is_no_input_size_counts_with_its_bound(values):
    examples, symbols = values
    only_x = {symbol: number for symbol, number in symbols.items() if number == 0}
    assert evaluate(bytes_of(examples["product"], only_x), (5,)) == 5 * 60 * 4


class Counts(torch.nn.Module):
    def forward(self, x):
        return torch.nonzero(x)


def test_what_nothing_bounds_has_no_function():
    program = export(Counts(), (torch.ones(4),), dynamic_shapes=({0: Dim.AUTO},))
    example = program.graph_module.graph.output_node().args[0][0].meta["val"]
    with pytest.raises(NoFunctionError, match="no upper bound"):
        bytes_of(example, {})


class Rest(torch.nn.Module):
    def forward(self, x):
        return x[: 100 - x.shape[0]]


def test_what_may_shrink_has_no_function():
    program = export(Rest(), (torch.ones(70),), dynamic_shapes=({0: Dim("n", min=60, max=90)},))
    example = program.graph_module.graph.output_node().args[0][0].meta["val"]
    symbol = (
        next(node for node in program.graph.nodes if node.op == "placeholder").meta["val"].shape[0].node.expr
    )
    with pytest.raises(NoFunctionError, match="grows"):
        bytes_of(example, {symbol: 0})


def test_steps():
    assert evaluate([7, 2, "/"], ()) == 3
    assert evaluate([0, 7, "-", 2, "/"], ()) == -4
    assert evaluate(["$1", "$0", "<", 5, ">"], (9, 3)) == 5
