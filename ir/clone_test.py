"""Copies are equal to what they were made of, and independent of it."""

import copy
import io

import pytest
import torch

from executorch.ir.clone import clone_program, copy_graph_module
from executorch.ir.programs_for_tests import Counter, functional


def _names(program):
    return [node.name for node in program.graph.nodes]


def test_a_clone_is_equal_and_independent():
    program = functional(Counter(), torch.ones(2))
    before, clone = _names(program), clone_program(program)
    assert _names(clone) == before
    clone.validate()
    clone.graph.erase_node(clone.graph.call_function(torch.sin))
    clone.graph_signature.input_specs.clear()
    clone.constants["new"] = torch.ones(1)
    clone.range_constraints["new"] = None
    clone.graph.find_nodes(op="placeholder")[0].meta["new"] = 1
    program.validate()
    assert _names(program) == before and "new" not in program.constants
    assert "new" not in program.range_constraints
    assert "new" not in program.graph.find_nodes(op="placeholder")[0].meta
    assert clone.state_dict["weight"] is program.state_dict["weight"]


def test_a_clone_runs():
    program = clone_program(functional(Counter(), torch.ones(2)))
    assert torch.equal(program.module()(torch.ones(2)), torch.full((2,), 2.0))
    assert copy.deepcopy(program).module()(torch.ones(2)).shape == (2,)


class _Input(torch.nn.Module):
    def forward(self, input):
        return input + 1


class _Filter(torch.nn.Module):
    def forward(self, filter):
        return filter + 1


class _Id(torch.nn.Module):
    def forward(self, id):
        return id + 1


class _Type(torch.nn.Module):
    def forward(self, type):
        return type + 1


@pytest.mark.parametrize("model", [_Input(), _Filter(), _Id(), _Type()])
def test_inputs_with_names_of_built_ins_keep_them(model):
    program = torch.export.export(model, (torch.ones(2),))
    clone = clone_program(program)
    assert _names(clone) == _names(program)
    clone.validate()
    torch.export.save(clone, io.BytesIO())
    assert torch.equal(clone.module()(torch.ones(2)), torch.full((2,), 2.0))


def test_new_nodes_take_no_name_that_a_copied_node_has():
    program = functional(lambda x: torch.sin(torch.sin(x)), torch.ones(2))
    first, second = program.graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default)
    second.args = first.args
    program.graph.erase_node(first)  # Leaves a sin_1 without a sin.
    copied = copy_graph_module(program.graph_module)
    with copied.graph.inserting_before(copied.graph.output_node()):
        for _ in range(3):
            copied.graph.call_function(
                torch.ops.aten.sin.default, (copied.graph.find_nodes(op="placeholder")[0],)
            )
    names = [node.name for node in copied.graph.nodes]
    assert len(set(names)) == len(names)


def test_control_flow_bodies_are_copied_too():
    program = functional(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), torch.ones(2))
    copied = copy_graph_module(program.graph_module)
    pairs = list(zip(program.graph_module.named_children(), copied.named_children(), strict=True))
    assert len(pairs) == 2
    for (_, old), (_, new) in pairs:
        assert new is not old
        assert [node.target for node in new.graph.nodes] == [node.target for node in old.graph.nodes]
