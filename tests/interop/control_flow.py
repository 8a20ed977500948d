"""Specimens with branches and loops, also within each other."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch._higher_order_ops.map import map as _map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim

from executorch.tests.interop.specimen import Specimen, specimen_of

#: Its annotations know nested inputs only.
torch_map: Any = _map


def condition() -> Specimen:
    def function(p: torch.Tensor, x: torch.Tensor) -> Any:
        return torch.cond(p, lambda x: (x.sin() + 1, x * 2), lambda x: (x.cos(), x.clone()), (x,))

    x = torch.rand(3)
    return specimen_of(function, (torch.tensor(True), x), (torch.tensor(False), x), (torch.tensor(True), x))


def nested_condition() -> Specimen:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 2, lambda x: x.exp(), lambda x: x.neg(), (x,))

    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, inner, lambda x: x.abs().sqrt(), (x,)) + 1

    return specimen_of(function, *[(torch.full((4,), value),) for value in (1.0, 0.25, -1.0)])


def map_rows() -> Specimen:
    def function(rows: torch.Tensor, y: torch.Tensor) -> Any:
        return torch_map(lambda row, y: (row @ y + row, row.sum()), rows, y)

    shapes = ({0: Dim("rows", min=2, max=9)}, None)
    y = torch.rand(3, 3)
    return specimen_of(function, *[(torch.rand(n, 3, 3), y) for n in (4, 9, 2)], dynamic_shapes=shapes)


class _RecurrentCell(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = nn.Linear(8, 4), nn.Linear(4, 2)

    def forward(self, state: torch.Tensor, rows: torch.Tensor) -> Any:
        def step(state: torch.Tensor, row: torch.Tensor) -> Any:
            new = torch.tanh(self.cell(torch.cat([state, row])))
            return new, self.out(new)

        return scan(step, state, rows)


def scan_rows() -> Specimen:
    return specimen_of(_RecurrentCell(), (torch.rand(4), torch.rand(5, 4)), (torch.rand(4), torch.rand(5, 4)))


def scan_dynamic() -> Specimen:
    shapes = (None, {0: Dim("rows", min=2, max=9)})
    inputs = [(torch.rand(4), torch.rand(n, 4)) for n in (3, 9, 2)]
    return specimen_of(_RecurrentCell(), *inputs, dynamic_shapes=shapes)


def scan_swaps_what_it_carries() -> Specimen:
    def step(carried: Any, row: torch.Tensor) -> Any:
        a, b = carried
        return (b.clone(), a + row), a * 1

    def function(a: torch.Tensor, b: torch.Tensor, rows: torch.Tensor) -> Any:
        return scan(step, (a, b), rows)

    return specimen_of(function, (torch.rand(3), torch.rand(3), torch.rand(4, 3)))


class _Repeat(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, n: torch.Tensor, x: torch.Tensor) -> Any:
        def holds(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return i < n

        def body(i: torch.Tensor, x: torch.Tensor) -> Any:
            return i + 1, torch.tanh(self.linear(x))

        return while_loop(holds, body, (torch.zeros((), dtype=torch.int64), x))


def while_tensor_condition() -> Specimen:
    return specimen_of(_Repeat(), *[(torch.tensor(n), torch.rand(2, 4)) for n in (3, 0, 11)])


def while_numbers() -> Specimen:
    """Carries numbers and tensors, all of which change places."""

    def holds(i: Any, j: Any, a: torch.Tensor, b: torch.Tensor) -> Any:
        return i + j < 7

    def body(i: Any, j: Any, a: torch.Tensor, b: torch.Tensor) -> Any:
        return j + 1, i, b.clone(), a + b

    def function(a: torch.Tensor, b: torch.Tensor) -> Any:
        return while_loop(holds, body, (0, 1, a, b))

    return specimen_of(function, (torch.rand(2, 3), torch.rand(2, 3)))


def while_dynamic_rows() -> Specimen:
    def body(i: torch.Tensor, x: torch.Tensor) -> Any:
        return i + 1, x * 0.5 + x.mean()

    def function(x: torch.Tensor, n: torch.Tensor) -> Any:
        def holds(i: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return i < n

        return while_loop(holds, body, (torch.zeros((), dtype=torch.int64), x))

    shapes = ({0: Dim("rows", min=2, max=7)}, None)
    return specimen_of(
        function,
        *[(torch.rand(r, 3), torch.tensor(n)) for r, n in ((3, 2), (7, 5), (2, 0))],
        dynamic_shapes=shapes,
    )


def loops_in_loops() -> Specimen:
    def row(x: torch.Tensor, y: torch.Tensor) -> Any:
        def body(i: torch.Tensor, a: torch.Tensor) -> Any:
            choice = torch.cond(a.sum() > 0, lambda a, y: a * 0.5 + y, lambda a, y: a.sin(), (a, y))
            return i + 1, choice

        i, a = while_loop(lambda i, a: i < 3, body, (torch.zeros((), dtype=torch.int64), x))
        return a @ y, a.t() + i

    return specimen_of(
        lambda xs, y: torch_map(row, xs, y), *[(torch.randn(3, 4, 4), torch.randn(4, 4)) for _ in range(2)]
    )


def loop_in_condition() -> Specimen:
    def repeat(x: torch.Tensor) -> torch.Tensor:
        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 1.5), (zero, x))[1]

    def function(p: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(p, repeat, lambda x: x - 1, (x,)) + x

    return specimen_of(function, (torch.tensor(True), torch.rand(3)), (torch.tensor(False), torch.rand(3)))
