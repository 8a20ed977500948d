"""What a program changes, of every kind that torch.export knows."""

import torch
from torch.export.experimental import _export_forward_backward
from torch.export.graph_signature import InputKind, OutputKind, OutputSpec, TensorArgument

from executorch.ir.mutations import (
    changing_state,
    gradient_outputs,
    is_returned,
    mutations,
    state_mutations,
    trained_parameters,
)


class _Writing(torch.nn.Module):
    """Writes a parameter, a buffer, and an input that has the buffer's name."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.frozen = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(2))
        self.register_buffer("still", torch.zeros(2))

    def forward(self, count):
        with torch.no_grad():
            self.weight.mul_(2)
        self.count.add_(1)
        count.add_(3)
        return count * self.weight * self.frozen + self.count + self.still


def _signature():
    return torch.export.export(_Writing(), (torch.ones(2),)).run_decompositions({}).graph_signature


def test_all_that_is_written_is_found():
    signature = _signature()
    found = {(one.kind, one.target, one.placeholder) for one in mutations(signature)}
    assert found == {
        (InputKind.PARAMETER, "weight", "p_weight"),
        (InputKind.BUFFER, "count", "b_count"),
        (InputKind.USER_INPUT, "count", "count"),
    }
    for one in mutations(signature):
        assert signature.output_specs[one.index].arg.name == one.value
    assert {one.placeholder for one in state_mutations(signature)} == {"p_weight", "b_count"}
    assert changing_state(signature) == {"p_weight", "b_count"}


def test_what_is_written_back_is_not_returned():
    signature = _signature()
    returned = [output.kind for output in signature.output_specs if is_returned(output, signature)]
    assert returned == [OutputKind.USER_OUTPUT]
    # How a program for training gives out its parameters; any other token is none of the caller's.
    assert is_returned(OutputSpec(OutputKind.TOKEN, TensorArgument("p_frozen"), None), signature)
    assert not is_returned(OutputSpec(OutputKind.TOKEN, TensorArgument("token"), None), signature)


def test_trained_parameters_change_between_runs():
    class Loss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(2, 1)
            self.layer.bias.requires_grad_(False)

        def forward(self, x):
            return self.layer(x).sum()

    exported = torch.export.export(Loss(), (torch.ones(3, 2),))
    signature = _export_forward_backward(exported).graph_signature
    assert trained_parameters(signature) == {"layer.weight"}
    assert [output.target for output in gradient_outputs(signature)] == ["layer.weight"]
    assert changing_state(signature) == {"p_layer_weight"}
    assert not list(mutations(signature))
