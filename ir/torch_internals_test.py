"""What is relied on of each private name of torch: after an upgrade, what fails here is what has to change there."""

import pytest
import torch

from executorch.ir.programs_for_tests import functional
from executorch.ir.torch_internals import (
    is_erased,
    make_graph_module,
    number_anew,
    rename,
    rename_after,
    with_parts,
)


def _graph():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.sin, (graph.call_function(torch.sin, (x,)),)))
    return graph


def test_code_is_generated_when_it_is_needed():
    module = make_graph_module(torch.nn.Module(), _graph())
    assert isinstance(module, torch.fx.GraphModule) and module._needs_recompile()
    assert torch.equal(module(torch.ones(1)), torch.ones(1).sin().sin()) and not module._needs_recompile()


@pytest.mark.parametrize(
    "part",
    [
        "graph_module",
        "graph_signature",
        "state_dict",
        "constants",
        "verifiers",
        "range_constraints",
        "module_call_graph",
    ],
)
def test_parts_of_a_program_are_exchanged(part):
    program, mark = functional(torch.sin, torch.ones(1)), object()
    before = getattr(program, part)
    assert getattr(with_parts(program, {part: mark}), part) is mark
    assert getattr(program, part) is before
    with pytest.raises(AssertionError):
        with_parts(program, {f"{part}_new": mark})


def test_names():
    graph = _graph()
    x, first, second, _ = graph.nodes
    rename(first, "x")
    assert first.name == "x_1"
    rename_after(first, torch.cos)
    assert first.name == "cos"
    assert number_anew(graph, [first, second], "sin") and [first.name, second.name] == ["sin", "sin_1"]
    assert not number_anew(graph, [first, second], "sin")
    assert x.name == "x" and graph.call_function(torch.sin, (x,)).name == "sin_2"


def test_erased_nodes():
    graph = _graph()
    node = graph.call_function(torch.sin, (next(iter(graph.nodes)),))
    assert not is_erased(node)
    graph.erase_node(node)
    assert is_erased(node)
