"""Element types as a running graph sees them."""

import pytest
import torch

from executorch.dialects.arg_validator import EdgeOpArgValidator, RunHigherOrderOperatorError
from executorch.dialects.ops import ops


def _graph(target, *literals):
    graph = torch.fx.Graph()
    graph.output(graph.call_function(target, (graph.placeholder("x"), *literals)))
    return torch.fx.GraphModule({}, graph)


def test_types_within_the_constraints():
    validator = EdgeOpArgValidator(_graph(ops.edge.aten.sigmoid.default))
    x = torch.ones(2, dtype=torch.int8)
    assert torch.equal(validator.run(x), torch.sigmoid(x))
    assert not validator.violating_ops


def test_types_outside_of_them():
    op = ops.edge.aten._softmax.default
    validator = EdgeOpArgValidator(_graph(op, 0, False))
    validator.run(torch.ones(2))
    assert not validator.violating_ops
    table_says_no = EdgeOpArgValidator(_graph(op, 0, False))
    table_says_no.call_function(op, (torch.ones(2), 0, False), {})
    assert not table_says_no.violating_ops
    # Eager refuses integers, so what the table refuses is shown on a meta tensor, which eager takes.
    table_says_no.call_function(op, (torch.ones(2, dtype=torch.int64, device="meta"), 0, False), {})
    assert dict(table_says_no.violating_ops) == {op: {"self": torch.int64, "__ret_0": torch.int64}}


def test_control_flow_is_refused():
    with pytest.raises(RunHigherOrderOperatorError, match="cond"):
        EdgeOpArgValidator(_graph(torch.ops.higher_order.cond)).run(torch.ones(1))
