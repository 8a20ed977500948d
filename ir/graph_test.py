"""Facts about graphs."""

import torch

from executorch.ir.graph import fake_mode_of, fingerprint, output_arguments
from executorch.ir.programs_for_tests import functional


def _conditional():
    return functional(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), torch.ones(2))


def test_what_a_graph_returns_is_flat():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(x)
    assert output_arguments(graph) == (x,)
    graph.output_node().args = ((x, 1),)
    assert output_arguments(graph) == (x, 1)
    assert fake_mode_of(graph.nodes) is None


def test_a_fingerprint_sees_calls_of_bodies_and_no_meta():
    program = _conditional()
    before = fingerprint(program.graph_module)
    for node in program.graph.nodes:
        node.meta["tag"] = "new"
    assert fingerprint(program.graph_module) == before
    (sine,) = program.graph_module.true_graph_0.graph.find_nodes(
        op="call_function", target=torch.ops.aten.sin.default
    )
    sine.target = torch.ops.aten.tan.default
    assert fingerprint(program.graph_module) != before
