"""Where dimensions go in a view and in a permutation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.graph_edit import permutation_of
from executorch.ir.values import shape_of


def _sizes_of(node: Any) -> tuple[Any, ...]:
    shape = shape_of(node)
    if shape is None:
        raise ValueError(f"{node} has no example tensor: run it through torch.export first")
    return shape


def _expression(size: Any) -> Any:
    return size.node.expr if isinstance(size, torch.SymInt) else size


def _equal(left: Any, right: Any) -> bool:
    """Whether two sizes, or products of sizes, are equal whatever the symbols in them stand for."""
    difference = _expression(left) - _expression(right)
    return bool(difference == 0)


def numel(shape: Iterable[Any]) -> Any:
    """The number of elements; an expression where sizes are symbols."""
    return math.prod(shape)


def same_numel(first_shape: Iterable[Any], second_shape: Iterable[Any]) -> bool:
    """Whether two shapes have the same number of elements, for all values of their symbols."""
    return _equal(numel(first_shape), numel(second_shape))


def normalize_view_shape(source_shape: Sequence[Any], target_shape: Sequence[Any]) -> list[Any]:
    """``target_shape`` with a number in place of -1.

    Raises:
        ValueError: more than one -1, or the elements do not fit.
    """
    sizes = list(target_shape)
    unknown = [dim for dim, size in enumerate(sizes) if isinstance(size, int) and size == -1]
    if len(unknown) > 1:
        raise ValueError(f"view to {sizes}: only one size can be -1")
    if unknown:
        rest = numel(size for dim, size in enumerate(sizes) if dim != unknown[0])
        if isinstance(rest, int) and rest == 0:
            raise ValueError(f"view to {sizes}: -1 is ambiguous beside a size of 0")
        sizes[unknown[0]] = numel(source_shape) // rest
    if not same_numel(source_shape, sizes):
        raise ValueError(
            f"view of {list(source_shape)} to {list(target_shape)}: not the same number of elements"
        )
    return sizes


def _normalize_dims(dims: int | Sequence[int], rank: int) -> list[int]:
    found = [dims] if isinstance(dims, int) else list(dims)
    if any(not -rank <= dim < rank for dim in found):
        raise ValueError(f"dimensions {found} of a tensor of rank {rank}")
    return [dim % rank for dim in found]


class ViewMap:
    """Which dimensions of a view's result come from which of its input.

    Dimensions fall into groups, from the left, of as few as possible whose sizes have equal products; a view
    rearranges elements within groups only. Dimensions of size 1 without a partner are groups of their own, with
    nothing on the other side.

    Attributes:
        groups: pairs ``(source dimensions, target dimensions)`` in order; None if sizes cannot be told apart.
        source_shape, target_shape: sizes.
    """

    def __init__(self, view_node: Node) -> None:
        self._init(_sizes_of(view_node.args[0]), _sizes_of(view_node))

    @classmethod
    def from_shapes(cls, source_shape: Sequence[Any], target_shape: Sequence[Any]) -> ViewMap:
        """The map of a view between these sizes."""
        made = cls.__new__(cls)
        made._init(source_shape, target_shape)
        return made

    def _init(self, source_shape: Sequence[Any], target_shape: Sequence[Any]) -> None:
        self.source_shape = tuple(source_shape)
        self.target_shape = tuple(normalize_view_shape(source_shape, target_shape))
        self.groups = _groups(self.source_shape, self.target_shape)

    @property
    def is_valid_map(self) -> bool:
        """Whether the groups are known."""
        return self.groups is not None

    @property
    def source_rank(self) -> int:
        return len(self.source_shape)

    @property
    def target_rank(self) -> int:
        return len(self.target_shape)

    def map_dim(self, source_dims: int | Sequence[int]) -> list[int] | None:
        """The target dimensions that these source dimensions, whole groups of them, become; None otherwise."""
        return _map(self.groups or [], _normalize_dims(source_dims, self.source_rank), 0)

    def map_dim_inverse(self, target_dims: int | Sequence[int]) -> list[int] | None:
        """The source dimensions that became these target dimensions, whole groups of them; None otherwise."""
        return _map(self.groups or [], _normalize_dims(target_dims, self.target_rank), 1)

    def source_to_target_axes(self) -> list[list[int]]:
        """For each source dimension the target dimensions of its group."""
        return [
            next((targets for sources, targets in self.groups or [] if dim in sources), [])
            for dim in range(self.source_rank)
        ]


def _map(groups: list[tuple[list[int], list[int]]], dims: list[int], side: int) -> list[int] | None:
    found: list[int] = []
    covered: list[int] = []
    for group in groups:
        if any(dim in dims for dim in group[side]):
            covered += group[side]
            found += group[1 - side]
    return found if sorted(covered) == sorted(dims) and found else None


def _groups(source: Sequence[Any], target: Sequence[Any]) -> list[tuple[list[int], list[int]]] | None:
    """Runs of dimensions with equal products, as short as possible."""
    if any(isinstance(size, int) and size == 0 for size in (*source, *target)):
        return None
    groups: list[tuple[list[int], list[int]]] = []
    left, right = 0, 0
    while left < len(source) or right < len(target):
        ends = _next_run(source[left:], target[right:])
        if ends is None:
            return None
        groups.append((list(range(left, left + ends[0])), list(range(right, right + ends[1]))))
        left, right = left + ends[0], right + ends[1]
    return groups


def _next_run(source: Sequence[Any], target: Sequence[Any]) -> tuple[int, int] | None:
    """How many dimensions on either side make the next group."""
    if source and target and _equal(source[0], target[0]):
        return 1, 1
    if source and _equal(source[0], 1):
        return 1, 0
    if target and _equal(target[0], 1):
        return 0, 1
    for total in range(2, len(source) + len(target) + 1):
        for length in range(max(1, total - len(target)), min(len(source), total - 1) + 1):
            if _equal(numel(source[:length]), numel(target[: total - length])):
                return length, total - length
    return None


class PermuteMap:
    """Where dimensions go in a permutation."""

    def __init__(self, permute_node: Node) -> None:
        dims = permutation_of(permute_node)
        if dims is None:
            raise ValueError(f"{permute_node} is no permutation")
        self._dims = dims

    def map_dims(self, dims: int | Sequence[int]) -> list[int]:
        """Places in the result of these dimensions of the input."""
        return [self._dims.index(dim) for dim in _normalize_dims(dims, len(self._dims))]

    def map_dims_inverse(self, dims: int | Sequence[int]) -> list[int]:
        """Dimensions of the input at these places of the result."""
        return [self._dims[dim] for dim in _normalize_dims(dims, len(self._dims))]


__all__ = ["PermuteMap", "ViewMap", "normalize_view_shape", "numel", "same_numel"]
