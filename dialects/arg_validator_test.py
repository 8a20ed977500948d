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
    # Eager refuses integers, so what the table refuses is shown on a meta tensor, which eager takes.
    validator.run(torch.ones(2, dtype=torch.int64, device="meta"))
    ((dtypes, node),) = validator.violating_ops.values()
    assert dtypes == {"self": torch.int64, "__ret_0": torch.int64} and node.target is op


def test_no_operator_takes_complex_numbers():
    op = ops.edge.aten.sigmoid.default
    validator = EdgeOpArgValidator(_graph(op))
    validator.run(torch.ones(2, dtype=torch.bfloat16))
    assert not validator.violating_ops
    validator.run(torch.ones(2, dtype=torch.complex64))
    assert list(validator.violating_ops) == [op]


def test_control_flow_is_refused():
    with pytest.raises(RunHigherOrderOperatorError, match="cond"):
        EdgeOpArgValidator(_graph(torch.ops.higher_order.cond)).run(torch.ones(1))
