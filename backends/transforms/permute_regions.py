"""Regions of operators between permutations, and in which order of dimensions each of them runs now.

Every value in a region is a permutation of what would be calculated without the permutations before it; which one is
found operator by operator, downstream and upstream from the first permutation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.dim_maps import ViewMap
from executorch.backends.transforms.graph_edit import permutation_of, same_shape, view_arguments
from executorch.ir.graph import sole_user
from executorch.ir.rewriter import arguments, is_call, source_of
from executorch.ir.values import shape_of, tensor_of
from executorch.ir.views import SQUEEZES, UNSQUEEZES, VIEWS

_aten = torch.ops.aten
_CONSTANTS = (_aten.full.default,)


@dataclass(frozen=True)
class Interleave:
    """``repeat_interleave(scale, dim)`` as it is captured: a new dimension behind ``dim``, expanded, and merged."""

    dim: int
    scale: Any
    expand: Node
    merge: Node


@dataclass
class Region:
    """Operators between permutations.

    Attributes:
        order: of each value in the region, the dimensions of what will stand for it, as ``dims`` of ``permute``.
        read: of each operator, the same for the value that it reads.
        entries: permutations on the way in.
        exits: permutations on the way out.
        sinks: views that read the same elements in the same order either way.
        constants: operators and constants that they read, which are to be permuted back.
        interleaves: by the first of their operators.
    """

    order: dict[Node, list[int]] = field(default_factory=dict)
    read: dict[Node, list[int]] = field(default_factory=dict)
    entries: set[Node] = field(default_factory=set)
    exits: set[Node] = field(default_factory=set)
    sinks: set[Node] = field(default_factory=set)
    constants: dict[tuple[Node, Node], list[int]] = field(default_factory=dict)
    interleaves: dict[Node, Interleave] = field(default_factory=dict)

    @property
    def nodes(self) -> set[Node]:
        """The operators that are to be changed."""
        return set(self.read)


class _Dead(Exception):
    """The region cannot run in another order."""


def find_region(start: Node, is_permutable: Callable[[Node], bool]) -> Region | None:
    """The region behind the permutation ``start``; None where something needs the permuted order.

    If what reads the permutation cannot all run in another order, a region that one reader belongs to is as good.

    Args:
        start: the permutation.
        is_permutable: whether an operator that keeps the order of dimensions can run on any order.
    """
    readers = list(start.users)
    for some in [readers, *([one] for one in readers if len(readers) > 1)]:
        search = _Search(is_permutable)
        try:
            search.grow(start, some)
        except _Dead:
            continue
        region = search.region
        if region.read and _saves_a_permutation(region):
            return region
    return None


def _saves_a_permutation(region: Region) -> bool:
    inside = region.nodes | region.exits
    gone = any(all(user in inside for user in entry.users) for entry in region.entries)
    return gone or any(is_view_only(leave, left_over(region, leave)) for leave in region.exits)


def left_over(region: Region, leave: Node) -> list[int]:
    """What the permutation ``leave`` behind a region has to do once the region runs in the first order."""
    dims = permutation_of(leave)
    assert dims is not None
    before = region.order[source_of(leave)]
    return [before[dim] for dim in dims]


def is_view_only(node: Node, dims: Sequence[int]) -> bool:
    """Whether the permutation ``dims`` that gives ``node`` moves dimensions of size 1 only."""
    shape = shape_of(node)
    assert shape is not None
    moved = [dim for dim, size in zip(dims, shape, strict=True) if str(size) != "1"]
    return moved == sorted(moved)


class _Search:
    def __init__(self, is_permutable: Callable[[Node], bool]) -> None:
        self.region = Region()
        self._is_permutable = is_permutable
        self._pending: list[Node] = []

    def grow(self, start: Node, readers: Sequence[Node]) -> None:
        """Finds the region of some of those who read ``start``."""
        dims = permutation_of(start)
        assert dims is not None
        self._enter(start, dims)
        while self._pending:
            node = self._pending.pop()
            for user in readers if node is start else list(node.users):
                # An entry's other readers keep it.
                if node not in self.region.entries or self._can_take(user):
                    self._down(user, node)

    def _can_take(self, user: Node) -> bool:
        return user.op == "call_function" and permutation_of(user) is None

    def _enter(self, entry: Node, dims: list[int]) -> None:
        if entry not in self.region.entries:
            self.region.entries.add(entry)
            self.region.order[entry] = dims
            if len(self.region.entries) == 1:
                self._pending.append(entry)

    def _down(self, user: Node, source: Node) -> None:
        """Takes in ``user``, which reads ``source``."""
        region, order = self.region, self.region.order[source]
        if permutation_of(user) is not None:
            region.exits.add(user)
            return
        if user.op != "call_function" or tensor_of(user) is None:
            raise _Dead
        if user in region.read:
            if region.read[user] != order:
                raise _Dead
            return
        interleave = interleave_of(user)
        if interleave is not None:
            region.interleaves[user] = interleave
            region.read[user] = order
            self._settle(interleave.merge, order)
        elif is_sink(user):
            region.read[user] = order
            region.sinks.add(user)
        elif is_reshaping(user):
            self._reshape(user, order, over_unit_dims(user, order))
        else:
            self._keep_order(user, order)

    def _reshape(self, node: Node, before: list[int] | None, after: list[int] | None) -> None:
        if before is None or after is None or new_sizes(node, after) is None:
            raise _Dead
        self.region.read[node] = before
        self._settle(node, after)

    def _settle(self, node: Node, order: list[int]) -> None:
        if self.region.order.setdefault(node, order) != order:
            raise _Dead
        self._pending.append(node)

    def _keep_order(self, node: Node, order: list[int]) -> None:
        value = tensor_of(node)
        if value is None or value.dim() != len(order) or not self._is_permutable(node):
            raise _Dead
        self.region.read[node] = order
        self._settle(node, order)
        for source in node.all_input_nodes:
            self._up(source, node, order)

    def _up(self, source: Node, reader: Node, order: list[int]) -> None:
        """Sees to it that ``source``, which ``reader`` reads, can be had without the permutation ``order``."""
        region = self.region
        if source in region.order:
            if region.order[source] != order:
                raise _Dead
        elif permutation_of(source) == order:
            self._enter(source, order)
        elif _is_single(source, len(order)):
            return
        elif _is_constant(source, len(order)):
            region.constants[reader, source] = order
        elif source.op != "call_function" or permutation_of(source) is not None or is_sink(source):
            raise _Dead
        elif is_reshaping(source):
            before = over_unit_dims(source, order, upstream=True)
            self._reshape(source, before, order)
            assert before is not None
            self._up(source_of(source), source, before)
        else:
            self._keep_order(source, order)


def is_reshaping(node: Node) -> bool:
    """Whether ``node`` is a view, ``squeeze_copy`` or ``unsqueeze_copy``."""
    return is_call(node, *VIEWS, *SQUEEZES, *UNSQUEEZES)


def over_unit_dims(node: Node, order: list[int], upstream: bool = False) -> list[int] | None:
    """The order behind (or before) a view that only adds and drops dimensions of size 1; None for other views.

    Args:
        node: the view.
        order: of what it reads, or of its result if ``upstream``.
        upstream: the other way round.
    """
    before, after = shape_of(node.args[0]), shape_of(node)
    if before is None or after is None or len(order) != len(after if upstream else before):
        return None
    groups = _unit_groups(node, before, after)
    if groups is None:
        return None
    if upstream:
        groups = [(right, left) for left, right in groups]
    # Of the dimensions that stay, the new order is the old one; new ones stand where they stand in the result.
    partner = {left[0]: right[0] for left, right in groups if left and right}
    new = [right[0] for left, right in groups if not left]
    places: list[Any] = sorted(((order[left], right) for left, right in partner.items()))
    outputs = [right for _, right in places]
    for position in sorted(new):
        outputs.insert(min(position, len(outputs)), position)
    return [outputs.index(dim) for dim in range(len(outputs))]


def _unit_groups(
    node: Node, before: Sequence[Any], after: Sequence[Any]
) -> list[tuple[list[int], list[int]]] | None:
    """Pairs of a dimension read and the one it becomes, either missing where it is added or dropped."""
    if is_call(node, *VIEWS):
        groups = ViewMap.from_shapes(before, after).groups
        alone = groups is not None and all(len(left) <= 1 and len(right) <= 1 for left, right in groups)
        return groups if alone else None
    dims = arguments(node)["dim"]
    changed = [dim % max(len(before), len(after)) for dim in ([dims] if isinstance(dims, int) else dims)]
    if is_call(node, *UNSQUEEZES):
        kept = [dim for dim in range(len(after)) if dim not in changed]
        return [*(([left], [right]) for left, right in enumerate(kept)), *(([], [dim]) for dim in changed)]
    if any(str(before[dim]) != "1" for dim in changed):
        return None
    kept = [dim for dim in range(len(before)) if dim not in changed]
    return [*(([left], [right]) for right, left in enumerate(kept)), *(([dim], []) for dim in changed)]


def new_sizes(node: Node, order: Sequence[int]) -> list[Any] | None:
    """Arguments of a view that gives ``node`` in the first order of its dimensions; None where they cannot be said."""
    shape = shape_of(node)
    assert shape is not None
    sizes: list[Any] = [0] * len(order)
    for place, dim in enumerate(order):
        sizes[dim] = shape[place]
    return view_arguments(node, sizes)


def is_sink(node: Node) -> bool:
    """Whether ``node`` is a view of a tensor with one dimension other than 1 at most, whatever their order."""
    shape = shape_of(node.args[0]) if node.args else None
    return (
        is_call(node, *VIEWS)
        and shape is not None
        and sum(str(size) != "1" for size in shape) <= 1
        and view_arguments(node, shape_of(node) or ()) is not None
    )


def interleave_of(node: Node) -> Interleave | None:
    """The ``repeat_interleave`` that ``node`` begins, if nothing else reads what is between its operators."""
    before = shape_of(node.args[0]) if node.args else None
    middle = shape_of(node)
    if not is_reshaping(node) or before is None or middle is None or len(middle) != len(before) + 1:
        return None
    groups = _unit_groups(node, before, middle)
    added = [right[0] for left, right in groups or [] if not left]
    expand = sole_user(node)
    merge = None if expand is None else sole_user(expand)
    if len(added) != 1 or added[0] == 0 or merge is None or not is_call(expand, _aten.expand_copy.default):
        return None
    (place,) = added
    wide, merged = shape_of(expand), shape_of(merge)
    if not is_call(merge, *VIEWS) or wide is None or merged is None or len(wide) != len(middle):
        return None
    scale = wide[place]
    want = [*before[: place - 1], before[place - 1] * scale, *before[place:]]
    others = [size for dim, size in enumerate(wide) if dim != place]
    if not same_shape(others, before) or not same_shape(merged, want):
        return None
    assert expand is not None
    return Interleave(place - 1, scale, expand, merge)


def _is_single(node: Node, rank: int) -> bool:
    """Whether a value has one element, which is broadcast alike to whatever order of dimensions."""
    value = tensor_of(node)
    return value is not None and value.dim() <= rank and all(str(size) == "1" for size in value.shape)


def _is_constant(node: Node, rank: int) -> bool:
    """Whether a value is known ahead of time, so that it may as well be stored in another order."""
    value = tensor_of(node)
    known = node.op == "get_attr" or is_call(node, *_CONSTANTS)
    return (
        known and value is not None and value.dim() <= rank and all(isinstance(s, int) for s in value.shape)
    )


__all__ = [
    "Interleave",
    "Region",
    "find_region",
    "interleave_of",
    "is_reshaping",
    "is_sink",
    "is_view_only",
    "left_over",
    "new_sizes",
    "over_unit_dims",
]
