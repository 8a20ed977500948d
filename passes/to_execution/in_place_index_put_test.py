"""Updates of buffers reach ``index_put_`` in the one form that kernels of released runtimes know."""

import pytest
import torch
from torch.export import export

from executorch.dialects.edge_ops import aten_op
from executorch.ir.clone import clone_program
from executorch.ir.signature import sync_signature
from executorch.passes.decomposition.decompose import decompose
from executorch.passes.to_edge.edge_ops_pass import EdgeOpsPass
from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass
from executorch.passes.to_execution.insert_write_back_for_buffers_pass import InsertWriteBackForBuffersPass
from executorch.passes.to_execution.reinplace import reinplace_pass

aten = torch.ops.aten
ROWS = torch.tensor([1, 2])


class Cache(torch.nn.Module):
    """A buffer of zeros that `write` updates."""

    def __init__(self, shape, write):
        super().__init__()
        self.register_buffer("cache", torch.zeros(shape))
        self.write = write

    def forward(self, *inputs):
        self.write(self.cache, *inputs)
        return self.cache + 1


def first(cache, index, values):
    cache[index] = values


def second(cache, index, values):
    cache[:, index] = values


def both(cache, index, other, values):
    cache[index, other] = values


def added(cache, index, values):
    cache.index_put_((index,), values, accumulate=True)


def lowered(write, shape, *inputs):
    program = clone_program(decompose(export(Cache(shape, write), inputs)))
    FunctionalizeViewsPass()(program.graph_module)
    EdgeOpsPass()(program.graph_module)
    sync_signature(program)
    return program


def operators(program):
    nodes = [node for node in program.graph.nodes if node.op == "call_function"]
    return {aten_op(node.target): node for node in nodes}


KNOWN = [
    (first, (4, 3), ROWS, torch.rand(2, 3)),
    (first, (4, 3), ROWS, torch.rand(3)),
    (first, (4, 3), ROWS, torch.rand(2, 1)),
    (first, (4, 3), ROWS.to(torch.int32), torch.rand(())),
    (second, (1, 3, 5), ROWS, torch.rand(1, 2, 5)),
    (second, (1, 3, 5), ROWS, torch.rand(2, 5)),
    (second, (4, 3, 5), ROWS, torch.rand(2, 5)),
]
OTHER = [
    (added, (4, 3), ROWS, torch.rand(2, 3)),
    (first, (4, 3), torch.tensor([True, False, True, False]), torch.rand(2, 3)),
    (first, (4, 3), torch.tensor([[1, 2], [0, 3]]), torch.rand(2, 2, 3)),
    (both, (4, 3, 5), ROWS, torch.tensor([0, 1]), torch.rand(2, 5)),
]


@pytest.mark.parametrize("case", KNOWN)
@pytest.mark.parametrize("run", [InsertWriteBackForBuffersPass(), reinplace_pass])
def test_values_get_the_shape_of_what_they_replace(case, run):
    program = lowered(*case)
    run(program)
    found = operators(program)
    node = found[aten.index_put_.default]
    target, indices, values = (node.args[0], node.args[1], node.args[2])
    axis = next(position for position, index in enumerate(indices) if index is not None)
    expected = list(target.meta["val"].shape)
    expected[axis] = 2
    assert list(values.meta["val"].shape) == expected
    assert aten.copy_.default not in found
    *inputs, new = case[2:]
    reference = Cache(case[1], case[0])
    torch.testing.assert_close(_result(program, case[2:]), reference(*inputs, new))


@pytest.mark.parametrize("case", OTHER)
def test_other_forms_are_copied_back(case):
    program = lowered(*case)
    InsertWriteBackForBuffersPass()(program)
    found = operators(program)
    assert aten.index_put.default in found and aten.copy_.default in found
    torch.testing.assert_close(_result(program, case[2:]), Cache(case[1], case[0])(*case[2:]))


def test_values_reshaped_from_the_right_shape_are_taken_from_there():
    def write(cache, index, values):
        cache[:, index] = values.sin()

    program = lowered(write, (1, 3, 5), ROWS, torch.rand(1, 2, 5))
    InsertWriteBackForBuffersPass()(program)
    values = operators(program)[aten.index_put_.default].args[2]
    assert aten_op(values.target) is aten.sin.default
    assert aten.view_copy.default not in operators(program)


def _result(program, inputs):
    state = [value.clone() for value in program.state_dict.values()]
    return program.graph_module(*state, *inputs)[-1]
