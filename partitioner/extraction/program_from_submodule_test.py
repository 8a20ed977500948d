"""What is cut out by hand becomes a program of its own, with the state that is tagged alike."""

import pytest
import torch
from torch.export.graph_signature import InputKind, OutputKind

from executorch.partitioner.extraction.program_from_submodule import (
    create_exported_program_from_submodule,
    nodes_with_tag,
)
from executorch.partitioner.extraction.submodule_from_nodes import create_submodule_from_nodes
from executorch.partitioner.interface.errors import PartitionerContractError


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.ones(3))
        self.factor = torch.nn.Parameter(torch.tensor([2.0, 3.0, 4.0]))

    def forward(self, x):
        self.count.add_(x)
        return (x * self.factor).relu() + self.count, x.sin()


def _tagged(with_state):
    program = torch.export.export(Counter(), (torch.ones(3),)).run_decompositions({})
    for node in program.graph.nodes:
        is_state = node.op == "placeholder" and node.name in ("b_count", "p_factor")
        if (node.op == "call_function" and node.name != "sin") or (with_state and is_state):
            node.meta["delegation_tag"] = "t"
    return program


def _cut(program, follow=True, is_submodule=False):
    module = program.graph_module
    nodes = nodes_with_tag(module, "t", program)
    assert all(node.op == "call_function" for node in nodes)
    hook = program.graph_signature.get_replace_hook()
    if follow:
        with module._set_replace_hook(hook):
            submodule, call = create_submodule_from_nodes(module, nodes, "t")
    else:
        submodule, call = create_submodule_from_nodes(module, nodes, "t")
    return create_exported_program_from_submodule(submodule, program, "t", call, is_submodule)


@pytest.mark.parametrize("follow", [True, False], ids=["the signature follows", "the signature stays"])
def test_state_that_is_tagged_alike_moves_in(follow):
    made, inputs, outputs = _cut(_tagged(True), follow)
    assert {spec.target for spec in inputs.values()} == {"count", "factor"}
    assert [(spec.kind, spec.target) for spec in outputs.values()] == [(OutputKind.BUFFER_MUTATION, "count")]
    assert made.graph_signature.buffers_to_mutate.keys() == {made.graph.output_node().args[0][0].name}
    x = torch.tensor([-1.0, 0.5, 1.0])
    model = Counter()
    module = made.module()
    for _ in range(2):
        torch.testing.assert_close(module(x)[0], model(x)[0])


def test_state_without_the_tag_arrives_as_an_input():
    made, inputs, outputs = _cut(_tagged(False))
    assert not inputs and not outputs and not made.state_dict
    assert [spec.kind for spec in made.graph_signature.input_specs] == [InputKind.USER_INPUT] * 3


def test_a_graph_of_control_flow_has_no_state():
    made, inputs, outputs = _cut(_tagged(True), is_submodule=True)
    assert not inputs and not outputs and not made.state_dict


@pytest.mark.parametrize("which", ["x", "output"])
def test_inputs_and_outputs_cannot_be_tagged(which):
    program = _tagged(True)
    (node,) = [one for one in program.graph.nodes if one.name == which]
    node.meta["delegation_tag"] = "t"
    with pytest.raises(PartitionerContractError, match="should not be tagged"):
        nodes_with_tag(program.graph_module, "t", program)
