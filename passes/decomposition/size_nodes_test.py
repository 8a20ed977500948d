"""Sizes as nodes: found where they exist, computed where they do not."""

import operator

import pytest
import torch
from torch.export import Dim

from executorch.passes.decomposition.size_nodes import SizeNodes
from executorch.passes.programs_for_tests import export


@pytest.fixture
def program():
    shapes = ({0: Dim("rows", min=2, max=8), 1: Dim("columns", min=2, max=8)},)
    return export(lambda x: x.sin() + x.shape[0], torch.rand(3, 4), dynamic_shapes=shapes)


@pytest.fixture
def sizes(program):
    found = SizeNodes(program.graph)
    for node in program.graph.nodes:
        found.visit(node)
    return found


def _shape(program):
    return program.graph.find_nodes(op="placeholder")[0].meta["val"].shape


def test_sizes_that_the_graph_computes_are_used_again(program, sizes):
    rows, _ = _shape(program)
    (known,) = program.graph.find_nodes(op="call_function", target=torch.ops.aten.sym_size.int)
    assert sizes.node_of(rows, {}) is known


def test_other_sizes_are_read_from_a_tensor_once(program, sizes):
    _, columns = _shape(program)
    with program.graph.inserting_before(program.graph.output_node()):
        node = sizes.node_of(columns, {"stack_trace": "here"})
    assert node.target is torch.ops.aten.sym_size.int and node.args[1] == 1
    assert node.meta["stack_trace"] == "here" and str(node.meta["val"]) == str(columns)
    assert sizes.node_of(columns, {}) is node


@pytest.mark.parametrize(
    ("expression", "target"),
    [
        (lambda rows, columns: rows + 2, operator.add),
        (lambda rows, columns: rows * columns * 3, operator.mul),
        (lambda rows, columns: rows // 2, operator.floordiv),
        (lambda rows, columns: rows % 2, operator.mod),
        (lambda rows, columns: rows * rows, operator.mul),
        (lambda rows, columns: torch.sym_max(rows, columns), torch.sym_max),
        (lambda rows, columns: torch.sym_min(rows, columns), torch.sym_min),
    ],
)
def test_expressions_are_computed(program, sizes, expression, target):
    value = expression(*_shape(program))
    with program.graph.inserting_before(program.graph.output_node()):
        node = sizes.node_of(value, {})
    assert node.target is target and str(node.meta["val"].node.expr) == str(value.node.expr)
    program.graph.lint()


def test_unknown_symbols_are_refused(program):
    rows, _ = _shape(program)
    with pytest.raises(KeyError, match="no node computes"):
        SizeNodes(program.graph).node_of(rows, {})
