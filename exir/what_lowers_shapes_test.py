"""Dynamic shapes that lower: named and found symbols, several of them, derived ones, sizes as numbers."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.export import Dim

from executorch.dialects.errors import UnboundedShapeError
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.interpreter_for_tests import ExecutionInterpreter
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass


class TwoSymbols(nn.Module):
    def forward(self, x, y):
        return torch.bmm(x, y).softmax(-1), x.shape[0] * y.shape[2]


class Derived(nn.Module):
    def forward(self, x, y):
        return x[1:] + y, torch.cat([x, y])


class Halved(nn.Module):
    def forward(self, x):
        return x.view(-1, 2, 3).sum(1)


class Size(nn.Module):
    def forward(self, x):
        return x / x.shape[0], x.new_ones(x.shape[0], 2 * x.shape[0] + 1)


class SizeInput(nn.Module):
    def forward(self, x, n: int):
        return x * n, n + 1


_ROWS, _COLUMNS = Dim("rows", min=1, max=6), Dim("columns", min=2, max=5)

CASES: dict[str, tuple[nn.Module, Any, list[tuple[Any, ...]]]] = {
    "static": (Halved(), None, [(torch.randn(4, 3),)]),
    "two_symbols": (
        TwoSymbols(),
        ({0: _ROWS}, {0: _ROWS, 2: _COLUMNS}),
        [(torch.randn(b, 3, 2), torch.randn(b, 2, c)) for b, c in ((2, 3), (6, 5), (1, 2))],
    ),
    "offset": (
        Derived(),
        ({0: _ROWS + 1}, {0: _ROWS}),
        [(torch.randn(n + 1, 3), torch.randn(n, 3)) for n in (3, 1, 6)],
    ),
    "multiple": (Halved(), ({0: 2 * _ROWS},), [(torch.randn(2 * n, 3),) for n in (2, 6, 1)]),
    "found": (
        TwoSymbols(),
        ({0: Dim.AUTO(max=6)}, {0: Dim.AUTO(max=6), 2: Dim.AUTO(min=2, max=5)}),
        [(torch.randn(b, 3, 2), torch.randn(b, 2, c)) for b, c in ((2, 3), (6, 5), (3, 2))],
    ),
    "sizes_are_numbers": (Size(), ({0: _ROWS},), [(torch.randn(n, 2),) for n in (3, 6, 1)]),
    "size_input": (SizeInput(), (None, Dim.DYNAMIC(min=0, max=9)), [(torch.ones(2), n) for n in (3, 0, 9)]),
}


def _same(actual, expected):
    for left, right in zip(
        torch.utils._pytree.tree_leaves(actual), torch.utils._pytree.tree_leaves(expected), strict=True
    ):
        if isinstance(right, torch.Tensor):
            torch.testing.assert_close(left, right)
        else:
            assert left == right


@pytest.mark.parametrize("name", CASES)
def test_all_sizes_within_the_bounds_run(name):
    module, shapes, calls = CASES[name]
    program = to_edge(torch.export.export(module, calls[0], dynamic_shapes=shapes)).to_executorch()
    interpreter = ExecutionInterpreter(program.exported_program())
    for call in calls:
        _same(interpreter(*call), module(*call))


def test_memory_is_planned_for_the_upper_bound():
    class Twice(nn.Module):
        def forward(self, x):
            return x.sin().cos()

    shapes = ({0: Dim("n", min=1, max=1000)},)
    program = to_edge(torch.export.export(Twice(), (torch.ones(2),), dynamic_shapes=shapes)).to_executorch()
    (plan,) = program.executorch_program.execution_plan
    assert sum(plan.non_const_buffer_sizes) >= 2 * 4000  # input and an intermediate at once


def test_memory_is_planned_for_the_example_where_nothing_bounds_a_size():
    class Twice(nn.Module):
        def forward(self, x):
            return x.sin().cos()

    program = torch.export.export(Twice(), (torch.ones(100),), dynamic_shapes=({0: Dim.DYNAMIC},))
    (plan,) = to_edge(program).to_executorch().executorch_program.execution_plan
    assert 2 * 400 <= sum(plan.non_const_buffer_sizes) <= 2 * 400 + 64


def test_a_size_without_bound_is_named_with_its_source_and_the_way_out_where_bounds_are_required():
    class Found(nn.Module):
        def forward(self, x):
            return x.relu() * 2

    program = torch.export.export(Found(), (torch.ones(3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass(require_bounds=True))
    with pytest.raises(UnboundedShapeError, match=r"max") as caught:
        to_edge(program).to_executorch(config)
    assert "what_lowers_shapes_test.py" in str(caught.value)
