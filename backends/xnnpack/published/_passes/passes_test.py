"""Passes over what the backend is given."""

import pytest
import torch

from executorch.backends.xnnpack._passes import XNNPACKPass, XNNPACKPassManager
from executorch.backends.xnnpack._passes.remove_noop_expand_copy_pass import RemoveNoopExpandCopyPass
from executorch.backends.xnnpack.utils.configs import get_transform_passes
from executorch.exir import to_edge


class _Expand(torch.nn.Module):
    def __init__(self, *shape):
        super().__init__()
        self.shape = shape

    def forward(self, x):
        return (x + 1).expand(*self.shape) * 2


def _edge(model, *inputs):
    return to_edge(torch.export.export(model, inputs)).exported_program()


def _targets(program):
    return [str(node.target) for node in program.graph.nodes if node.op == "call_function"]


def _raw_program(*shape):
    return torch.export.export(_Expand(*shape), (torch.rand(2, 3),)).run_decompositions()


def test_an_expansion_that_expands_nothing_goes():
    program = _raw_program(2, 3)
    assert any("expand" in target for target in _targets(program))
    after = XNNPACKPassManager(program, [RemoveNoopExpandCopyPass]).transform()
    assert not any("expand" in target for target in _targets(after))
    assert any("expand" in target for target in _targets(program)), "the given program was changed"
    x = torch.rand(2, 3)
    torch.testing.assert_close(after.module()(x), (x + 1) * 2)


def test_an_expansion_stays():
    program = _raw_program(4, 2, 3)
    after = XNNPACKPassManager(program, [RemoveNoopExpandCopyPass]).transform()
    assert any("expand" in target for target in _targets(after))


def test_a_pass_may_ask_for_the_program():
    seen = []

    class Look(XNNPACKPass):
        def call(self, graph_module):
            seen.extend(self.exported_program.graph_signature.parameters)
            return super().call(graph_module)

    program = _edge(torch.nn.Linear(3, 2), torch.rand(1, 3))
    after = XNNPACKPassManager(program, [Look]).transform()
    assert seen == ["weight", "bias"]
    assert _targets(after) == _targets(program)


def test_passes_are_classes():
    with pytest.raises(TypeError, match="class"):
        XNNPACKPassManager(_raw_program(2, 3), [RemoveNoopExpandCopyPass()]).transform()


def test_the_documented_list_of_passes():
    own = RemoveNoopExpandCopyPass()
    passes = get_transform_passes([own])
    assert passes[-1] is own
    assert any(isinstance(one, RemoveNoopExpandCopyPass) for one in get_transform_passes())
