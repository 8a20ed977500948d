"""Parameters stand behind their gradients."""

import pytest
import torch
from torch.export.experimental import _export_forward_backward
from torch.export.graph_signature import OutputKind

from executorch.ir.clone import clone_program
from executorch.passes.to_execution.weights_to_outputs_pass import weights_to_outputs_pass


class Step(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 2)

    def forward(self, x, y):
        return torch.nn.functional.mse_loss(self.linear(x), y)


INPUTS = (torch.rand(1, 3), torch.rand(1, 2))


def test_parameters_are_outputs_behind_their_gradients():
    exported = torch.export.export(Step(), INPUTS, strict=False)
    program = clone_program(_export_forward_backward(exported))
    before = len(program.graph_signature.output_specs)
    assert weights_to_outputs_pass(program) is program
    specs = program.graph_signature.output_specs
    gradients = [spec.target for spec in specs if spec.kind is OutputKind.GRADIENT_TO_PARAMETER]
    added = specs[before:]
    parameters = program.graph_signature.inputs_to_parameters
    assert [parameters[spec.arg.name] for spec in added] == gradients == ["linear.weight", "linear.bias"]
    (results,) = program.graph.output_node().args
    assert [node.name for node in results[before:]] == [spec.arg.name for spec in added]
    with pytest.raises(ValueError, match="already"):
        weights_to_outputs_pass(program)


def test_a_program_without_gradients_stays_as_it_is():
    program = torch.export.export(Step(), INPUTS)
    text = str(program.graph)
    assert str(weights_to_outputs_pass(program).graph) == text
