"""Delegate calls return tuples."""

import operator

import torch
from torch._higher_order_ops.executorch_call_delegate import executorch_call_delegate

from executorch.passes.to_execution.delegate_results_pass import DelegateResultsPass


def _call(value):
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    call = graph.call_function(executorch_call_delegate, (x,))
    call.meta["val"] = value
    use = graph.call_function(torch.ops.aten.relu.default, (call,))
    graph.output((use, call))
    return torch.fx.GraphModule({}, graph), call, use


def test_a_bare_result_is_read_through_getitem():
    value = torch.ones(2)
    module, call, use = _call(value)
    assert DelegateResultsPass()(module).modified
    (item,) = call.users
    assert item.target is operator.getitem and item.args == (call, 0) and item.meta["val"] is value
    assert use.args == (item,) and module.graph.output_node().args[0][1] is item
    assert call.meta["val"] == (value,)
    assert not DelegateResultsPass()(module).modified


def test_tuples_stay():
    module, _, _ = _call((torch.ones(2),))
    assert not DelegateResultsPass()(module).modified
