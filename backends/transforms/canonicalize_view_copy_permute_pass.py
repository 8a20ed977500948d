"""One view and one permutation at most, in this order, for a chain of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.transforms.dim_maps import ViewMap
from executorch.backends.transforms.graph_edit import permutation_of, same_shape, view_arguments
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, replace, source_of
from executorch.ir.values import shape_of
from executorch.ir.views import VIEWS
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = torch.ops.aten


class CanonicalizeViewCopyPermutePass(GraphPass):
    """Merges neighbouring ``view_copy`` and ``permute_copy`` nodes, whose links have one user each.

    Equal kinds are merged; a permutation that moves only dimensions of size 1 becomes a view; a view moves in front of
    a permutation where each group of dimensions that it splits or joins stays together. What leads back goes.

    Args:
        permute_targets: edge operators that permute; ``permute_copy`` if None.
    """

    def __init__(self, permute_targets: Iterable[Any] | None = None) -> None:
        super().__init__()
        targets = (ops.edge.aten.permute_copy.default,) if permute_targets is None else permute_targets
        self._permute_targets = frozenset(targets)

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        modified = False
        while any(self._step(node) for node in list(graph_module.graph.nodes)):
            modified = True
        return modified

    def _is_permute(self, node: Any) -> bool:
        return isinstance(node, Node) and node.op == "call_function" and node.target in self._permute_targets

    def _step(self, node: Node) -> bool:
        """Simplifies ``node`` with what it reads; returns whether it did."""
        is_view = is_call(node, *VIEWS)
        if not (is_view or self._is_permute(node)):
            return False
        source = source_of(node)
        if same_shape(shape_of(source), shape_of(node)) and (is_view or _moves_nothing(node)):
            replace(node, source)
            return True
        if self._is_permute(node) and _moves_ones_only(node):
            return _as_view(node, source)
        if len(source.users) != 1:
            return False
        if is_view and is_call(source, *VIEWS):
            return _as_view(node, source_of(source))
        if self._is_permute(source):
            return _join_permutations(node, source) if self._is_permute(node) else _swap(node, source)
        return False


def _moves_nothing(node: Node) -> bool:
    dims = permutation_of(node)
    return dims is not None and dims == sorted(dims)


def _moves_ones_only(node: Node) -> bool:
    dims, shape = permutation_of(node), shape_of(node.args[0])
    if dims is None or shape is None:
        return False
    kept = [dim for dim in dims if str(shape[dim]) != "1"]
    return kept == sorted(kept)


def _as_view(node: Node, source: Node) -> bool:
    shape = shape_of(node)
    sizes = None if shape is None else view_arguments(node, shape)
    if sizes is None:
        return False
    replace(node, call_like(node, _aten.view_copy.default, (source, sizes)))
    return True


def _join_permutations(node: Node, source: Node) -> bool:
    first, second = permutation_of(source), permutation_of(node)
    if first is None or second is None:
        return False
    dims = [first[dim] for dim in second]
    replace(node, call_like(node, _aten.permute_copy.default, (source_of(source), dims)))
    return True


def _swap(view: Node, permute: Node) -> bool:
    """``permute -> view`` as ``view -> permute``."""
    dims, before, between, after = (
        permutation_of(permute),
        shape_of(permute.args[0]),
        shape_of(permute),
        shape_of(view),
    )
    if dims is None or before is None or between is None or after is None:
        return False
    moved = ViewMap.from_shapes(between, after).groups
    if moved is None:
        return False
    # Each group of dimensions before the view must be a run of neighbours in the permutation's input too.
    runs = [([dims[dim] for dim in sources], targets) for sources, targets in moved]
    if any(run != list(range(run[0], run[0] + len(run))) for run, _ in runs if run):
        return False
    if any(not run for run, _ in runs):
        return False
    ordered = sorted(runs, key=lambda pair: pair[0][0])
    shape: list[Any] = []
    place: dict[int, int] = {}
    for _, targets in ordered:
        for target in targets:
            place[target] = len(shape)
            shape.append(after[target])
    sizes = view_arguments(view, shape)
    if sizes is None or same_shape(shape, before):
        return False
    new_view = call_like(view, _aten.view_copy.default, (permute.args[0], sizes))
    new_dims = [place[target] for target in range(len(after))]
    replace(view, call_like(view, _aten.permute_copy.default, (new_view, new_dims)))
    return True


__all__ = ["CanonicalizeViewCopyPermutePass"]
