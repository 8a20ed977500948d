"""Every model lowers, and its execution form computes what eager PyTorch computes."""

import copy

import pytest
import torch
from torch.utils import _pytree as pytree

from executorch.dialects.verifiers import verify_edge_graph, verify_execution_graph
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.interpreter_for_tests import ExecutionInterpreter
from executorch.exir.models_for_tests import cases

CASES = cases()
_PLAIN = ExecutorchBackendConfig(
    remove_view_copy=False, fuse_batch_norm=False, fuse_linear=False, fold_constants=False
)


def _check(actual, expected):
    actual_leaves, actual_spec = pytree.tree_flatten(actual)
    expected_leaves, expected_spec = pytree.tree_flatten(expected)
    assert str(actual_spec) == str(expected_spec)
    for left, right in zip(actual_leaves, expected_leaves, strict=True):
        if isinstance(right, torch.Tensor):
            torch.testing.assert_close(left, right)
        else:
            assert left == right and type(left) is type(right)


@pytest.mark.parametrize("config", [None, _PLAIN], ids=["default", "plain"])
@pytest.mark.parametrize("name", CASES)
def test_same_as_eager(name, config):
    case = CASES[name]
    torch.manual_seed(0)
    model = case.model().eval()
    eager = copy.deepcopy(model)
    program = torch.export.export(model, case.inputs, dynamic_shapes=case.dynamic_shapes)
    edge = to_edge(program)
    verify_edge_graph(edge.exported_program().graph_module)
    edge.exported_program().validate()
    executable = edge.to_executorch(config)
    verify_execution_graph(executable.exported_program().graph_module)
    assert executable.buffer[4:8] == b"ET12"
    interpreter = ExecutionInterpreter(executable.exported_program())
    for inputs in (case.inputs, *case.others, case.inputs):  # thrice, so that state carries over
        with torch.no_grad():
            _check(interpreter(*copy.deepcopy(inputs)), eager(*copy.deepcopy(inputs)))


def test_lowering_is_deterministic():
    case = CASES["transformer_dynamic"]
    torch.manual_seed(0)
    model = case.model().eval()
    program = torch.export.export(model, case.inputs, dynamic_shapes=case.dynamic_shapes)
    assert to_edge(program).to_executorch().buffer == to_edge(program).to_executorch().buffer


def test_nothing_that_was_given_is_changed():
    case = CASES["counter"]
    program = torch.export.export(case.model(), case.inputs)
    before = str(program)
    edge = to_edge(program)
    edge_before = str(edge.exported_program())
    edge.to_executorch()
    edge.to_executorch()
    assert str(program) == before and str(edge.exported_program()) == edge_before


def test_initial_states_of_buffers_are_in_the_program():
    case = CASES["counter"]
    executable = to_edge(torch.export.export(case.model(), case.inputs)).to_executorch()
    assert torch.full((3,), 5.0).numpy().tobytes() in executable.buffer


def test_shared_weights_are_stored_once():
    case = CASES["tied"]
    model = case.model()
    executable = to_edge(torch.export.export(model, case.inputs)).to_executorch()
    weight = model.embedding.weight.detach().numpy().tobytes()
    assert executable.buffer.count(weight) == 1


def test_caches_are_not_copied():
    case = CASES["cache"]
    executable = to_edge(torch.export.export(case.model(), case.inputs)).to_executorch()
    targets = [str(node.target) for node in executable.exported_program().graph.nodes]
    assert "aten.index_put_.default" in targets
    assert not {"aten.copy_.default", "aten.view_copy.out", "aten.index_put.out"} & set(targets)
