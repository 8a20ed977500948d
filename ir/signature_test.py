"""What inputs stand for: names follow the graph, and what is written is no constant."""

import pytest
import torch
from torch.export.graph_signature import OutputKind

from executorch.ir.graph import output_arguments
from executorch.ir.mutations import mutated_placeholders, variable_placeholders
from executorch.ir.programs_for_tests import Counter, functional
from executorch.ir.signature import (
    constant_values,
    input_specs,
    state_inputs,
    state_value,
    sync_signature,
)


def test_names_in_the_signature_follow_renamed_nodes():
    program = functional(Counter(), torch.ones(2))
    for value in output_arguments(program.graph):
        value._rename("renamed")
    sync_signature(program)
    program.validate()
    assert [spec.arg.name for spec in program.graph_signature.output_specs] == ["renamed", "renamed_1"]


def test_a_graph_with_other_inputs_is_refused():
    program = functional(Counter(), torch.ones(2))
    program.graph_signature.input_specs.pop()
    with pytest.raises(ValueError, match="3 inputs and 2 outputs, its signature 2 and 2"):
        sync_signature(program)


def test_inputs_and_what_stands_behind_them():
    program = functional(Counter(), torch.ones(2))
    assert list(input_specs(program.graph_signature)) == ["p_weight", "b_count", "input"]
    assert list(state_inputs(program.graph_signature)) == ["p_weight", "b_count"]
    values = [state_value(program, spec) for spec in program.graph_signature.input_specs]
    assert values[0] is program.state_dict["weight"] and values[2] is None


def test_written_buffers_are_no_constants():
    program = functional(Counter(), torch.ones(2))
    assert [node.name for node in mutated_placeholders(program)] == ["b_count"]
    assert variable_placeholders(program) == mutated_placeholders(program)
    assert [node.name for node in constant_values(program)] == ["p_weight"]


def test_external_constants_may_change_later():
    program = functional(Counter(), torch.ones(2))
    program.graph.find_nodes(op="placeholder")[0].meta["constant_tag"] = "weights"
    assert not constant_values(program)


def test_written_user_inputs_are_found():
    def model(x):
        x.add_(1)
        return x * 2

    program = functional(model, torch.ones(2))
    assert program.graph_signature.output_specs[0].kind is OutputKind.USER_INPUT_MUTATION
    assert len(mutated_placeholders(program)) == 1
    assert not mutated_placeholders(functional(torch.sin, torch.ones(2)))
