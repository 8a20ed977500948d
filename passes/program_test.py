"""Edits of programs: copies are independent, signatures stay right, constants are shared."""

import copy

import torch
from torch.export.graph_signature import InputKind, OutputKind

from executorch.passes.program import (
    ConstantLifter,
    clone_program,
    constant_values,
    copy_graph_module,
    fake_mode_of,
    mutated_placeholders,
    output_arguments,
    sync_signature,
)
from executorch.passes.programs_for_tests import calls, core, export


class _Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, input):  # a name that is also a builtin
        self.count.add_(1)
        return input * self.weight + self.count


def _names(program):
    return [node.name for node in program.graph.nodes]


def test_a_clone_is_equal_and_independent():
    program = core(_Counter(), torch.ones(2))
    before, clone = _names(program), clone_program(program)
    assert _names(clone) == before
    clone.validate()
    clone.graph.erase_node(clone.graph.call_function(torch.sin))
    clone.graph_signature.input_specs.clear()
    clone.constants["new"] = torch.ones(1)
    clone.graph.find_nodes(op="placeholder")[0].meta["new"] = 1
    program.validate()
    assert _names(program) == before and "new" not in program.constants
    assert "new" not in program.graph.find_nodes(op="placeholder")[0].meta
    assert clone.state_dict["weight"] is program.state_dict["weight"]


def test_a_clone_runs():
    program = clone_program(core(_Counter(), torch.ones(2)))
    assert torch.equal(program.module()(torch.ones(2)), torch.full((2,), 2.0))
    assert copy.deepcopy(program).module()(torch.ones(2)).shape == (2,)


def test_control_flow_bodies_are_copied_too():
    program = core(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), torch.ones(2))
    copied = copy_graph_module(program.graph_module)
    for (_, old), (_, new) in zip(
        program.graph_module.named_children(), copied.named_children(), strict=True
    ):
        assert new is not old and calls(new) == calls(old)


def test_names_in_the_signature_follow_renamed_nodes():
    program = core(_Counter(), torch.ones(2))
    for value in output_arguments(program.graph):
        value._rename("renamed")
    sync_signature(program)
    program.validate()
    assert [spec.arg.name for spec in program.graph_signature.output_specs] == ["renamed", "renamed_1"]


def test_constants_stand_between_weights_and_inputs():
    program = core(_Counter(), torch.ones(2))
    lifter = ConstantLifter(program)
    first = lifter.lift(torch.tensor(2.0), key=("two",))
    assert lifter.lift(torch.tensor(2.0), key=("two",)) is first
    second = lifter.lift(torch.tensor(3.0))
    assert second is not first and first.meta["val"].shape == ()
    program.validate()
    kinds = [spec.kind for spec in program.graph_signature.input_specs]
    expected = [InputKind.PARAMETER, InputKind.BUFFER, *[InputKind.CONSTANT_TENSOR] * 2, InputKind.USER_INPUT]
    assert kinds == expected
    assert fake_mode_of(program.graph.nodes) is first.meta["val"].fake_mode


def test_constants_of_a_program_without_inputs():
    program = core(lambda: torch.zeros(2))
    ConstantLifter(program).lift(torch.ones(1))
    program.validate()


def test_written_buffers_are_no_constants():
    program = core(_Counter(), torch.ones(2))
    assert [node.name for node in mutated_placeholders(program)] == ["b_count"]
    assert [node.name for node in constant_values(program)] == ["p_weight"]


def test_external_constants_may_change_later():
    program = core(_Counter(), torch.ones(2))
    program.graph.find_nodes(op="placeholder")[0].meta["constant_tag"] = "weights"
    assert not constant_values(program)


def test_written_user_inputs_are_found():
    def model(x):
        x.add_(1)
        return x * 2

    program = core(model, torch.ones(2))
    assert program.graph_signature.output_specs[0].kind is OutputKind.USER_INPUT_MUTATION
    assert len(mutated_placeholders(program)) == 1
    assert not mutated_placeholders(export(torch.sin, torch.ones(2)))
