"""Orders of dimensions. XNNPACK's spatial operators want channels last, everything else takes what comes."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, TypeVar

import torch

from executorch.dialects.dim_order import dim_order_of

T = TypeVar("T")


class Layout(enum.Enum):
    """How the dimensions of a value in the XNNPACK graph relate to the tensor of the edge program."""

    PLAIN = "plain"
    CHANNELS_LAST = "channels last"

    def axes(self, rank: int) -> tuple[int, ...]:
        """For each dimension of the value, the dimension of the tensor."""
        if self is Layout.PLAIN or rank < 3:
            return tuple(range(rank))
        return (0, *range(2, rank), 1)

    def arrange(self, of_dimensions: Sequence[T]) -> list[T]:
        """Something per dimension of the tensor (its shape), per dimension of the value."""
        return [of_dimensions[axis] for axis in self.axes(len(of_dimensions))]

    def position(self, dimension: int, rank: int) -> int:
        """Where a dimension of the tensor is found in the value."""
        return self.axes(rank).index(dimension % rank)


def permutation(source: Layout, target: Layout, rank: int) -> list[int]:
    """The transpose that makes ``target`` of ``source``."""
    have = source.axes(rank)
    return [have.index(axis) for axis in target.axes(rank)]


def memory_layout(value: torch.Tensor) -> Layout:
    """The layout in which a tensor of the edge program lies in memory, where delegates receive and return it."""
    order: Any = tuple(dim_order_of(value.shape, value.stride()))
    channels_last = Layout.CHANNELS_LAST.axes(value.dim())
    return Layout.CHANNELS_LAST if value.dim() in (4, 5) and order == channels_last else Layout.PLAIN
