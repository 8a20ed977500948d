"""What stands in a table of patterns: a few operators that optimizers take for one, and some that look like them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

_generator = torch.Generator().manual_seed(11)


def randn(*shape: int) -> torch.Tensor:
    """Normal, the same in each process."""
    return torch.randn(shape, generator=_generator)


@dataclass(frozen=True)
class Pattern:
    """A function, or a module, and what it is called with."""

    function: Callable[..., Any]
    inputs: tuple[torch.Tensor, ...]


@dataclass
class Table:
    """Patterns by name; a name is there once."""

    patterns: dict[str, Pattern] = field(default_factory=dict)

    def add(self, name: str, function: Callable[..., Any], *inputs: torch.Tensor) -> None:
        """One row."""
        if name in self.patterns:
            raise ValueError(f"there is a pattern {name!r} already")
        self.patterns[name] = Pattern(function, inputs)

    def add_all(self, functions: dict[str, Callable[..., Any]], *inputs: torch.Tensor) -> None:
        """Rows with the same inputs."""
        for name, function in functions.items():
            self.add(name, function, *inputs)


class Patterns(torch.nn.Module):
    """All of a table as one model, with their inputs one after the other."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.names, self.rows = list(table.patterns), list(table.patterns.values())
        self.layers = torch.nn.ModuleList(
            row.function for row in self.rows if isinstance(row.function, torch.nn.Module)
        )

    def inputs(self) -> tuple[torch.Tensor, ...]:
        """What the rows are called with; of one tensor each has a copy, since an exporter takes it for one input."""
        return tuple(one.clone() for row in self.rows for one in row.inputs)

    def forward(self, *inputs: torch.Tensor) -> Any:
        results, place = [], 0
        for row in self.rows:
            made = row.function(*inputs[place : place + len(row.inputs)])
            place += len(row.inputs)
            results.append(made)
        return tuple(results)

    def wrong(self, got: Sequence[torch.Tensor], want: Sequence[Any], tolerance: float) -> list[str]:
        """Names of rows with a result that is further away than this part of its largest number, and how far."""
        results, found = iter(got), []
        for name, made in zip(self.names, want, strict=True):
            for right in pytree.tree_leaves(made):
                away = _distance(next(results), right)
                if not away <= tolerance:
                    found.append(f"{name}: {away:.1e}")
        return found


def _distance(got: torch.Tensor, want: torch.Tensor) -> float:
    """The largest difference as a part of the largest number; infinite for another form or infinities elsewhere."""
    finite = want.isfinite()
    if (got.shape, got.dtype) != (want.shape, want.dtype) or not torch.equal(got[~finite], want[~finite]):
        return math.inf
    if not want.is_floating_point():
        return 0.0 if torch.equal(got, want) else math.inf
    if not finite.any():
        return 0.0
    away = float((got[finite] - want[finite]).abs().max())
    return away / max(float(want[finite].abs().max()), 1e-30)
