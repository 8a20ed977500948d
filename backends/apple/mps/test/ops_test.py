"""Every operator of the table, from modules to blobs, which the interpreter runs."""

import functools
import pathlib
from dataclasses import replace
from typing import get_args

import pytest
import torch

from executorch.backends.apple.mps.graph import lowering
from executorch.backends.apple.mps.operator_table import operator_table
from executorch.backends.apple.mps.operators import OPERATORS
from executorch.backends.apple.mps.serialization import schema
from executorch.backends.apple.mps.test import cases
from executorch.backends.apple.mps.test.harness import largest_difference, lower, only
from executorch.backends.apple.mps.test.interpreter import Interpreter

aten = torch.ops.aten

PAGE = pathlib.Path(__file__).parents[1] / "OPERATORS.md"
#: Members of the format's union that no operator becomes: what released files have otherwise, and what has no operator.
NOT_WRITTEN = {"Min", "PixelShuffle", "DequantizePerChannelGroup"}

#: Forms that lowering to the edge dialect says otherwise; other producers of edge programs need not.
FORMS = [
    lambda x, i, y: aten._to_copy(x, dtype=torch.float16),
    lambda x, i, y: aten.alias_copy(x) + aten.clone(y),
    lambda x, i, y: aten.arange(70000.0) * y,
    lambda x, i, y: aten.arange(2.0, 70002.0) * y,
    lambda x, i, y: aten.bitwise_and.Tensor(i, i + i),
    lambda x, i, y: aten.bitwise_or.Scalar(i, 5),
    lambda x, i, y: aten.bitwise_xor.Scalar(i, 5),
    lambda x, i, y: aten.div.Scalar(x, 0.7),
    lambda x, i, y: aten.div.Scalar_mode(x, 0.7, rounding_mode="floor"),
    lambda x, i, y: aten.floor_divide(x, y),
    lambda x, i, y: aten.mul.Scalar(x, 3),
    lambda x, i, y: aten.sub.Scalar(x, 3, 2),
    lambda x, i, y: aten.split_copy.Tensor(x, 2, -1),
    lambda x, i, y: aten.squeeze_copy(y * 2),
    lambda x, i, y: aten.squeeze_copy.dim(y * 3, 0),
    lambda x, i, y: aten.t_copy(x),
    lambda x, i, y: aten.transpose_copy.int(x, 0, -1),
    lambda x, i, y: aten.unbind_copy.int(x, -1),
]


@functools.cache
def lowered(name):
    return only(lower(*cases.make(name)))


@pytest.mark.parametrize("name", cases.GROUPS)
def test_operators_are_as_eager(name):
    assert largest_difference(lowered(name), *cases.make(name)) < 1e-5


@pytest.mark.parametrize("name", ["binary", "products", "convolutions", "normalizations", "moves", "lookups"])
def test_half_precision_inside(name):
    module, inputs = cases.make(name)
    delegate = only(lower(module, inputs, None))
    values, graph = delegate.graph.mps_values, delegate.graph
    floats = [
        one for one in graph.input_ids if values[one].datatype == schema.MPSDataType.mps_data_type_float32
    ]
    casts = [node.mpsnode_union for node in graph.mps_nodes[: len(floats)]]
    half = schema.MPSDataType.mps_data_type_float16
    assert casts == [schema.MPSCast(one, one, half) for one in floats]
    constants = {values[one].datatype for one in graph.constant_ids}
    assert schema.MPSDataType.mps_data_type_float32 not in constants
    results = delegate(*inputs)
    # Rounding of operands: where a quotient or a function jumps there, a result may be another.
    for position, want in zip(delegate.order, torch.utils._pytree.tree_leaves(module(*inputs)), strict=True):
        got = results[position]
        assert got.dtype == want.dtype
        if want.is_floating_point() and want.abs().max() < 1000:
            close = torch.isclose(got, want, atol=2e-2, rtol=2e-2)
            assert close.float().mean() > 0.95


@pytest.fixture
def tried(monkeypatch):
    """The operators that are lowered."""
    found = set()

    def recorded(row):
        def lower_it(builder, node):
            found.add(row.name)
            row.lower(builder, node)

        return replace(row, lower=lower_it)

    monkeypatch.setattr(lowering, "OPERATORS", {name: recorded(row) for name, row in OPERATORS.items()})
    return found


def test_every_operator_of_the_table_is_tried(tried):
    for name in cases.GROUPS:
        lower(*cases.make(name))
    inputs = (torch.randn(2, 3), torch.arange(6).reshape(2, 3), torch.rand(1) + 0.5)
    module = cases.Calls(FORMS)
    exported = torch.export.export(module, inputs)
    results = Interpreter(lowering.lower_graph(exported, use_fp16=False).blob())(*inputs)
    for got, want in zip(results, torch.utils._pytree.tree_leaves(module(*inputs)), strict=True):
        torch.testing.assert_close(got, want)
    assert sorted(set(OPERATORS) - tried) == []


def test_every_node_of_the_format_is_tried():
    tried = {name for group in cases.GROUPS for name in lowered(group).names()}
    assert {kind.__name__[3:] for kind in get_args(schema.MPSNodeUnion)} - tried == NOT_WRITTEN


def test_the_table_is_that_of_the_partitioner():
    assert PAGE.read_text(encoding="utf-8") == operator_table()
