"""Multiply-accumulates of nodes, against what is counted by hand, and where they are done."""

import pytest
import torch
from torch import nn
from torch.export import Dim, export

from executorch.partitioner import to_backend
from executorch.partitioner.demo_for_tests import OpPartitioner
from executorch.partitioner.inspection.work import get_work, multiply_accumulates


class Products(nn.Module):
    """Linear layers, products of matrices and what multiplies nothing."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 5)

    def forward(self, x):
        y = self.linear(x)
        return (y @ y.transpose(-1, -2)).sin()


def macs_of(model, inputs, **options):
    graph = export(model.eval(), inputs, **options).run_decompositions().graph
    return sum(multiply_accumulates(node) for node in graph.nodes if node.op == "call_function")


@pytest.mark.parametrize(
    ("model", "shape", "expected"),
    [
        (nn.Linear(4, 5), (2, 3, 4), 2 * 3 * 4 * 5),
        (nn.Conv2d(6, 8, 3, padding=1, groups=2), (1, 6, 10, 12), 8 * 10 * 12 * 3 * 9),
        (nn.ConvTranspose1d(3, 2, 4), (1, 3, 7), 7 * 3 * 2 * 4),
        (nn.ReLU(), (3,), 0),
    ],
    ids=str,
)
def test_layers(model, shape, expected):
    assert macs_of(model, (torch.randn(shape),)) == expected


def test_a_linear_layer_that_was_not_decomposed():
    graph = export(nn.Linear(4, 5), (torch.randn(2, 3, 4),)).graph
    assert sum(map(multiply_accumulates, [node for node in graph.nodes if node.op == "call_function"])) == 120


def test_sizes_that_are_not_fixed_count_as_in_the_example():
    dynamic = {"dynamic_shapes": ({0: Dim("rows", max=64)},)}
    assert macs_of(Products(), (torch.randn(3, 4),), **dynamic) == 3 * 4 * 5 + 3 * 3 * 5


def test_what_is_delegated_and_what_is_left():
    program = export(Products(), (torch.randn(3, 4),)).run_decompositions()
    nothing = get_work(program.graph_module)
    assert (nothing.share, nothing.delegates, nothing.macs) == (0.0, {}, 105)
    work = get_work(to_backend(program, OpPartitioner(["mm.default"])).graph_module)
    assert work.macs == 105 and work.delegated == {"TextBackend": 45} and work.delegates == {"TextBackend": 1}
    first = work.outside[0]
    assert (first.op, first.nodes, first.macs) == ("aten.addmm.default", 1, 60)
    assert "42.9% of them delegated (delegates: 1 of TextBackend)" in work.summary()
    assert "aten.addmm.default" in work.table() and "57.1%" in work.table()


def test_a_program_without_products_is_no_division_by_zero():
    work = get_work(export(nn.ReLU(), (torch.randn(3),)).graph_module)
    assert (work.macs, work.share) == (0, 1.0) and "-" in work.table()
