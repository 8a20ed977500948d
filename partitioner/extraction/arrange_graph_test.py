"""Inputs and outputs of a submodule come into the order of exported programs."""

import operator

import torch
from torch.export.graph_signature import OutputKind, OutputSpec, TensorArgument

from executorch.partitioner.extraction.arrange_graph import arrange_graph_outputs, arrange_graph_placeholders


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))
        self.register_buffer("state", torch.zeros(2))

    def forward(self, x):
        return x * self.weight + self.state


def test_mutations_come_first_and_their_readers_follow():
    body = torch.fx.symbolic_trace(lambda x: (x + 1, x + 2))
    graph = torch.fx.Graph()
    call = graph.call_module("body", (graph.placeholder("x"),))
    first, second = (graph.call_function(operator.getitem, (call, index)) for index in (0, 1))
    graph.output((first, second))
    kinds = (OutputKind.USER_OUTPUT, OutputKind.BUFFER_MUTATION)
    specs = [OutputSpec(kind, TensorArgument(f"o{i}"), None) for i, kind in enumerate(kinds)]
    arranged = arrange_graph_outputs(body, specs, call)
    assert [spec.kind for spec in specs] == [OutputKind.BUFFER_MUTATION, OutputKind.USER_OUTPUT]
    assert arranged(1) == (3, 2) and (first.args[1], second.args[1]) == (1, 0)
    arrange_graph_outputs(body, specs, call)
    assert arranged(1) == (3, 2) and (first.args[1], second.args[1]) == (1, 0)


def test_state_comes_before_inputs():
    program = torch.export.export(Model(), (torch.ones(2),))
    names = [node.name for node in program.graph.find_nodes(op="placeholder")]
    graph = torch.fx.Graph()
    nodes = {}
    for name in reversed(names):
        nodes[name] = graph.placeholder(name)
        nodes[name].meta["delegation_tag"] = "t" if name != "x" else None
    graph.output(tuple(nodes[name] for name in names))
    module = arrange_graph_placeholders(torch.fx.GraphModule(torch.nn.Module(), graph), program, "t")
    assert [node.name for node in module.graph.find_nodes(op="placeholder")] == names
    assert module(1, 2, 3) == (1, 2, 3)
