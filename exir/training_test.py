"""A joint graph becomes a program that TrainingModule can run: loss, gradients, parameters that an optimizer changes."""

import torch
from torch import nn
from torch.export.experimental import _export_forward_backward

from executorch.emitter.training import GRADIENTS_INDEX, PARAMETER_NAMES, PARAMETERS_INDEX
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.interpreter_for_tests import run_graph
from executorch.ir.signature import constant_values, state_value
from executorch.partitioner.selection.constants import tag_constant_data
from executorch.passes.optimization.constant_prop_pass import ConstantPropPass

_INPUTS = (torch.rand(2, 3), torch.tensor([0, 1]))
_NAMES = ["layer.weight", "layer.bias"]


class Step(nn.Module):
    """The loss and the predicted classes of a layer whose weight meets a constant only."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.register_buffer("scale", torch.full((2,), 0.5))

    def forward(self, x, y):
        scores = self.layer(x) * self.scale + self.layer.weight.sum(dim=1)
        return nn.functional.cross_entropy(scores, y), scores.detach().argmax(dim=1)


def _edge(module):
    return to_edge(_export_forward_backward(torch.export.export(module, _INPUTS)))


def _tensors(program, numbers):
    return [program.execution_plan[0].values[number].val for number in numbers]


def _constants(program):
    return {
        plan.name: [
            getattr(plan.values[n].val, "int_val", getattr(plan.values[n].val, "string_val", None))
            for n in plan.outputs
        ]
        for plan in program.execution_plan[1:]
    }


def test_gradients_and_parameters_are_outputs_that_constant_methods_describe():
    program = _edge(Step()).to_executorch().executorch_program
    assert _constants(program) == {
        GRADIENTS_INDEX + "forward": [2],
        PARAMETERS_INDEX + "forward": [4],
        PARAMETER_NAMES + "forward": _NAMES,
    }
    outputs = _tensors(program, program.execution_plan[0].outputs)
    assert [list(tensor.sizes) for tensor in outputs] == [[], [2], [2, 3], [2], [2, 3], [2]]
    # A parameter has memory of its own, which starts with its value.
    assert all(tensor.allocation_info is not None for tensor in outputs)
    assert [tensor.data_buffer_idx > 0 for tensor in outputs] == [False] * 4 + [True] * 2
    assert [tensor.extra_tensor_info.fully_qualified_name for tensor in outputs[4:]] == _NAMES


def test_a_step_computes_what_autograd_does_also_with_other_weights():
    module = Step()
    program = _edge(module).to_executorch().exported_program()
    nodes = program.graph.find_nodes(op="placeholder")
    state = [state_value(program, spec) for spec in program.graph_signature.input_specs]
    for factor in (1.0, -3.0):
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.mul_(factor)
        given = iter(_INPUTS)
        inputs = [next(given) if value is None else value.detach().clone() for value in state]
        parameters = program.graph_signature.inputs_to_parameters
        for position, node in enumerate(nodes):
            if node.name in parameters:
                inputs[position] = module.get_parameter(parameters[node.name]).detach().clone()
        with torch.no_grad():
            results = run_graph(program.graph_module, inputs)
        module.zero_grad()
        loss, classes = module(*_INPUTS)
        loss.backward()
        gradients = [module.get_parameter(name).grad for name in _NAMES]
        weights = [module.get_parameter(name).detach() for name in _NAMES]
        torch.testing.assert_close(list(results), [loss.detach(), classes, *gradients, *weights])


def test_the_first_values_of_parameters_may_stand_in_a_file():
    executable = _edge(Step()).to_executorch(ExecutorchBackendConfig(external_mutable_weights=True))
    program = executable.executorch_program
    parameters = _tensors(program, program.execution_plan[0].outputs[4:])
    assert all(tensor.allocation_info is not None and tensor.data_buffer_idx == 0 for tensor in parameters)
    (tag,) = executable._emitter_output.external_data
    assert sorted(executable._emitter_output.external_data[tag].named_data) == sorted(_NAMES)


def test_what_is_trained_is_no_constant():
    program = _edge(Step()).exported_program()
    trained = set(program.graph_signature.inputs_to_parameters)
    assert len(trained) == 2 and trained.isdisjoint(node.name for node in constant_values(program))
    ConstantPropPass()(program)
    assert trained <= {node.name for node in program.graph.find_nodes(op="placeholder")}
    for node in program.graph.nodes:
        if node.op == "call_function":
            node.meta["delegation_tag"] = "one"
    tag_constant_data(program)
    tagged = {n.name for n in program.graph.find_nodes(op="placeholder") if "delegation_tag" in n.meta}
    assert "b_scale" in tagged and trained.isdisjoint(tagged)


def test_a_program_for_inference_has_no_such_methods():
    executable = to_edge(torch.export.export(nn.Linear(3, 2), (_INPUTS[0],))).to_executorch()
    assert [plan.name for plan in executable.executorch_program.execution_plan] == ["forward"]
