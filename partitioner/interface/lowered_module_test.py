"""A lowered module emits through the hook that the front door installs."""

import operator

import pytest
import torch
from torch.export import export

from executorch.partitioner import to_backend
from executorch.partitioner.demo_for_tests import TextBackend
from executorch.partitioner.extraction.submodule_from_nodes import create_submodule_from_nodes
from executorch.partitioner.interface import lowered_module
from executorch.partitioner.interface.errors import DelegationError


@pytest.fixture
def lowered():
    program = export(torch.nn.ReLU(), (torch.rand(2),))
    return to_backend(TextBackend.__name__, program, [])


def test_without_a_hook_the_way_out_is_named(lowered, monkeypatch):
    monkeypatch.setattr(lowered_module, "_emission_hook", None)
    with pytest.raises(DelegationError, match=r"import executorch\.exir"):
        lowered.buffer()


def test_the_hook_receives_a_program_of_one_call_and_the_options(lowered, monkeypatch):
    seen = {}

    class Emitted:
        buffer = b"pte"
        program = "the program"

    def hook(program, **options):
        seen.update(options, targets=[str(n.target) for n in program.graph.nodes])
        return Emitted()

    monkeypatch.setattr(lowered_module, "_emission_hook", None)
    lowered_module.set_emission_hook(hook)
    assert lowered.buffer(segment_alignment=64) == b"pte"
    assert lowered.program() == "the program"
    assert seen["segment_alignment"] == 64
    assert "executorch_call_delegate" in seen["targets"]


class Chain(torch.nn.Module):
    def forward(self, x):
        y = x.relu()
        z = y.exp() + y.sin()
        return z, y.cos()


@pytest.mark.parametrize("skip", [False, True])
def test_nodes_become_a_submodule(skip):
    x = torch.randn(2, 3)
    module = export(Chain(), (x,)).graph_module
    chosen = [node for node in module.graph.nodes if node.name in ("relu", "exp")]
    submodule, call = create_submodule_from_nodes(module, chosen, "mine", skip)
    assert (call.op, call.target) == ("call_module", "fused_mine")
    assert [node.name for node in submodule.graph.nodes if node.op == "call_function"] == ["relu", "exp"]
    assert isinstance(submodule.graph.output_node().args[0], list)
    users = sorted(call.users)
    assert [user.target for user in users] == [operator.getitem] * 2
    assert [tuple(value.shape) for value in call.meta["val"]] == [(2, 3)] * 2
    module.graph.lint()
    torch.testing.assert_close(tuple(module(x)), Chain()(x))


def test_a_submodule_with_one_result_returns_a_list():
    module = export(Chain(), (torch.randn(2),)).graph_module
    chosen = [node for node in module.graph.nodes if node.name == "exp"]
    submodule, call = create_submodule_from_nodes(module, chosen, "one")
    assert isinstance(submodule(torch.zeros(2)), list)
    assert call.meta["val"].shape == (2,)
    with pytest.raises(AssertionError):
        nodes = list(module.graph.nodes)
        create_submodule_from_nodes(module, [nodes[1], nodes[-2]], "cycle")


def test_results_of_one_operator_are_results_of_the_submodule():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    split = graph.call_function(torch.ops.aten.split_copy.Tensor, (x, 1))
    rows = [graph.call_function(operator.getitem, (split, index)) for index in range(2)]
    graph.output((rows[1], rows[0]))
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    value = torch.rand(2, 3)
    x.meta["val"], split.meta["val"] = value, list(value.split(1))
    submodule, call = create_submodule_from_nodes(module, [split], "split")
    assert [node.args[0] for node in module.graph.nodes if node.target is operator.getitem] == [call, call]
    assert len(submodule(value)) == 2 and len(call.meta["val"]) == 2
    torch.testing.assert_close(module(value), (value[1:], value[:1]))
