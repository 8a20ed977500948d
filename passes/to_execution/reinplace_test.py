"""In-place variants where nobody can tell, and nowhere else."""

import pytest
import torch

from executorch.dialects.edge_ops import edge_op
from executorch.dialects.errors import PassError
from executorch.ir.clone import clone_program
from executorch.passes.decomposition.decompose import decompose
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass
from executorch.passes.to_execution.reinplace import ReinplacePass, in_place_variant, reinplace_pass

aten = torch.ops.aten
X, INDEX, V = torch.zeros(4), torch.tensor([1]), torch.ones(1)


def edge(function, *inputs):
    module = function
    if not isinstance(function, torch.nn.Module):
        module = torch.nn.Module()
        module.forward = function
    program = clone_program(decompose(torch.export.export(module, inputs)))
    EdgeOpsPass()(program.graph_module)
    return program


def in_place(program):
    return [
        n.target._op
        for n in program.graph.nodes
        if n.op == "call_function" and n.target._op._schema.is_mutable
    ]


def put(target, index, value):
    return torch.index_put(target, (index,), value)


def test_a_dead_argument_is_written():
    program = edge(lambda x, i, v: put(x + 1, i, v), X, INDEX, V)
    expected = program.module()(X, INDEX, V)
    result = ReinplacePass()(program)
    assert result.modified and in_place(program) == [aten.index_put_.default]
    torch.testing.assert_close(program.module()(X, INDEX, V), expected)
    assert not ReinplacePass()(program).modified


class Cache(torch.nn.Module):
    def __init__(self, again):
        super().__init__()
        self.again = again
        self.register_buffer("cache", torch.zeros(4))

    def forward(self, i, v):
        if not self.again:
            self.cache.index_put_((i,), v)
            return self.cache * 2
        new = put(self.cache, i, v)
        self.cache.copy_(new + 1)
        return new


def test_a_buffer_is_written_unless_its_caller_would_see_a_later_value():
    program = edge(Cache(again=False), INDEX, V)
    assert in_place(reinplace_pass(program)) == [aten.index_put_.default]
    assert program.graph_signature.buffers_to_mutate == {"aten_index_put_default": "cache"}
    assert in_place(reinplace_pass(edge(Cache(again=True), INDEX, V))) == []


def test_the_caller_may_get_what_stays_in_the_buffer():
    class TwoCaches(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("keys", torch.zeros(4))
            self.register_buffer("values", torch.zeros(4))

        def forward(self, i, v):
            self.keys.index_put_((i,), v)
            self.values.index_put_((i,), v + 1)
            return self.keys, self.values.view(2, 2)

    program = reinplace_pass(edge(TwoCaches(), INDEX, V))
    assert in_place(program) == [aten.index_put_.default] * 2


@pytest.mark.parametrize(
    "function",
    [
        lambda x, i, v: put(x, i, v),  # the caller's tensor
        lambda x, i, v: (lambda y: put(y, i, v) + y)(x + 1),  # read later
        lambda x, i, v: (lambda y: (put(y, i, v), y))(x + 1),  # returned
        lambda x, i, v: (lambda y: put(y, i, v) + torch.ops.aten.view_copy(y, [4]))(x + 1),
        lambda x, i, v: (lambda y: put(y, torch.arange(4), y))(x + 1),  # reads what it writes
    ],
)
def test_arguments_that_are_still_needed_are_left_alone(function):
    program = edge(function, X, INDEX, V)
    assert not ReinplacePass()(program).modified and in_place(program) == []


def test_a_view_of_a_value_that_is_read_later_counts():
    def function(x, i, v):
        y = x + 1
        flat = torch.ops.aten.view_copy(y, [4])
        return put(y, i, v) + flat

    assert in_place(reinplace_pass(edge(function, X, INDEX, V))) == []


def test_other_operators_on_request():
    program = edge(lambda x: torch.relu(x + 1), X)
    assert in_place(reinplace_pass(clone_program(program))) == []
    assert in_place(reinplace_pass(program, [edge_op(aten.relu.default)])) == [aten.relu_.default]


def test_what_is_refused():
    assert in_place_variant(aten.add.Tensor) is aten.add_.Tensor
    with pytest.raises(PassError, match="no in-place variant"):
        ReinplacePass([aten.mm.default])
    with pytest.raises(PassError, match="first argument only"):
        ReinplacePass([], {aten.relu.default: aten.sigmoid.default})
    with pytest.raises(PassError, match="no operator"):
        ReinplacePass([torch.relu])
