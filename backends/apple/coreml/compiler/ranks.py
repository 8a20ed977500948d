"""Permutations of more dimensions than Core ML's tensors have, in as many as it has.

``view, permute, view`` splits dimensions and exchanges some of them (windows of images, heads of attention). Dimensions that stand beside each
other in the same order all the way from the first view to the last are as well one, and those of size 1 are none.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torch.fx import Graph, Node

from executorch.backends.apple.coreml.compiler.operators import MAX_RANK
from executorch.backends.transforms.graph_edit import permutation_of
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import arguments, is_call, refresh_values, replace, source_of
from executorch.ir.values import rank_of
from executorch.ir.views import PERMUTES, VIEWS

#: They leave elements where they are.
_COPIES = (
    "aten.clone.default",
    "aten._to_copy.default",
    "dim_order_ops._clone_dim_order.default",
    "dim_order_ops._to_dim_order_copy.default",
)


@dataclass
class Detour:
    """What happens to a value from the view that gives it too many dimensions to those that take them away.

    Attributes:
        opening: the view at its beginning.
        orders: for it, and for each permutation and copy behind it, dimensions of ``opening`` in the order that the result has.
        closing: the views at its ends.
    """

    opening: Node
    orders: dict[Node, list[int]]
    closing: list[Node]

    @property
    def nodes(self) -> list[Node]:
        return [*self.orders, *self.closing]

    def merged(self) -> list[list[int]]:
        """Dimensions of ``opening`` that are one from the beginning to the end, in its order."""
        shape = self.opening.meta[meta_keys.VAL].shape
        kept = [[dim for dim in order if not _is(shape[dim], 1)] for order in self.orders.values()]
        behind = [dict(itertools.pairwise(order)) for order in kept]
        runs: list[list[int]] = []
        for dim in kept[0]:
            if runs and all(after.get(runs[-1][-1]) == dim for after in behind):
                runs[-1].append(dim)
            else:
                runs.append([dim])
        return runs

    def sizes(self) -> list[Any] | None:
        """Those of :meth:`merged`, as a view takes them; None where it cannot find them."""
        shape, given = self.opening.meta[meta_keys.VAL].shape, arguments(self.opening)["size"]
        sizes: list[Any] = []
        for run in self.merged():
            if all(isinstance(shape[dim], int) for dim in run):
                sizes.append(math.prod(shape[dim] for dim in run))
            else:
                sizes.append(given[run[0]] if len(run) == 1 else -1)
        return None if sum(_is(size, -1) for size in sizes) > 1 else sizes


def detours(graph: Graph) -> Iterator[Detour]:
    """Those that have few enough dimensions when they are merged."""
    for node in graph.nodes:
        if is_call(node, *VIEWS) and _rank(node) > MAX_RANK >= _rank(source_of(node)):
            found = _followed(node)
            if found is not None and 0 < len(found.merged()) <= MAX_RANK and found.sizes() is not None:
                yield found


def lower_ranks(graph: Graph) -> None:
    """Writes all :func:`detours` in fewer dimensions (in place)."""
    for one in list(detours(graph)):
        runs, sizes = one.merged(), one.sizes()
        one.opening.update_arg(1, sizes)
        for node, order in one.orders.items():
            if is_call(node, *PERMUTES):
                (before,) = (one.orders[source] for source in node.all_input_nodes)
                here, there = (_order_of_runs(runs, dims) for dims in (before, order))
                node.update_arg(1, [here.index(run) for run in there])
        for node in one.orders:
            if not is_call(node, *VIEWS, *PERMUTES):
                replace(node, source_of(node))
        refresh_values(graph, (one.opening,))


def _order_of_runs(runs: Sequence[Sequence[int]], order: Sequence[int]) -> list[int]:
    first = {run[0]: number for number, run in enumerate(runs)}
    return [first[dim] for dim in order if dim in first]


def _followed(opening: Node) -> Detour | None:
    """None where anything else reads a value of so many dimensions."""
    orders = {opening: list(range(_rank(opening)))}
    closing: list[Node] = []
    ahead = [opening]
    while ahead:
        node = ahead.pop()
        for user in node.users:
            if is_call(user, *PERMUTES):
                orders[user] = [orders[node][dim] for dim in permutation_of(user) or ()]
                ahead.append(user)
            elif _is_copy(user):
                orders[user] = orders[node]
                ahead.append(user)
            elif is_call(user, *VIEWS) and _rank(user) <= MAX_RANK:
                closing.append(user)
            else:
                return None
    return Detour(opening, orders, closing)


def _is_copy(node: Node) -> bool:
    if node.op != "call_function" or str(aten_op(node.target)) not in _COPIES:
        return False
    return bool(node.meta[meta_keys.VAL].dtype == source_of(node).meta[meta_keys.VAL].dtype)


def _rank(node: Node) -> int:
    return rank_of(node) or 0


def _is(size: Any, number: int) -> bool:
    return isinstance(size, int) and size == number
