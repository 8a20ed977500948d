"""Which results of a loop's body are copied before they are handed on, and which are not."""

import pytest
import torch
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from executorch.dialects.control_flow import body_module, body_results, loop_of
from executorch.dialects.edge_ops import aten_op
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.verifiers import graph_modules
from executorch.passes.programs_for_tests import edge
from executorch.passes.to_execution.loop_results_pass import LoopResultsPass
from executorch.passes.to_execution.spec_prop_pass import SpecPropPass

X, Y = torch.rand(3), torch.rand(3)


def settled(function, *inputs):
    """What each result of the loop's body is, after the pass: the operator of its node, or its placeholder's number."""
    module = edge(function, *inputs).graph_module
    _without_clones(module)
    SpecPropPass()(module)
    modified = LoopResultsPass()(module).modified
    (loop,) = filter(None, map(loop_of, module.graph.nodes))
    body = body_module(module, loop.body)
    inputs = list(body.graph.find_nodes(op="placeholder"))
    shown = [
        inputs.index(result) if result in inputs else str(aten_op(result.target) or result.target)
        for result in body_results(body)
    ]
    assert not LoopResultsPass()(module).modified
    for result in body_results(body):
        assert isinstance(result.meta["spec"], TensorSpec) is isinstance(result.meta["val"], torch.Tensor)
    return modified, shown


def _without_clones(root):
    """What a pass that knows no better may do; the bodies then return their placeholders."""
    for module in graph_modules(root):
        for node in list(module.graph.nodes):
            if aten_op(node.target) is torch.ops.dim_order_ops._clone_dim_order.default:
                node.replace_all_uses_with(node.args[0])
                module.graph.erase_node(node)


def repeat(body):
    def function(*values):
        return while_loop(lambda i, *rest: i < 3, lambda i, *rest: (i + 1, *body(*rest)), (0, *values))

    return function


CLONE = "aten.clone.default"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Each value in its own place is not written at all.
        (lambda a, b: (a.clone(), b.clone()), [1, 2]),
        # The second one is overwritten by the first; the first is read before.
        (lambda a, b: (b.clone(), a.clone()), [2, CLONE]),
        # A later value in an earlier place is still there when it is copied.
        (lambda a, b: (b.clone(), a + b), [2, "aten.add.Tensor"]),
        (lambda a, b: (a + b, a.clone()), ["aten.add.Tensor", CLONE]),
    ],
)
def test_values_that_change_places(body, expected):
    modified, (_, *found) = settled(repeat(body), X, Y)
    assert found == expected and modified is (CLONE in expected)


def test_a_condition_may_stand_for_a_carried_value():
    def body(a, b):
        return a + b, torch.cond(b.sum() > 0, lambda a, b: a.clone(), lambda a, b: b * 2, (a, b))

    modified, (_, first, second) = settled(repeat(body), X, Y)
    assert modified and (first, second) == ("aten.add.Tensor", CLONE)


def test_rows_of_stacked_results_are_contiguous():
    def step(state, row):
        return state + row, (row * 2).to(memory_format=torch.channels_last)

    modified, found = settled(
        lambda s, rows: scan(step, s, rows), torch.rand(1, 2, 3, 3), torch.rand(4, 1, 2, 3, 3)
    )
    assert modified and found == ["aten.add.Tensor", "dim_order_ops._to_dim_order_copy.default"]
