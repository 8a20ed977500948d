"""Operators that only move elements go where what follows does not mind their order."""

from __future__ import annotations

import math
from typing import Any, Final

from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import ATEN, shape
from executorch.backends.cadence.passes.regions import ELEMENTWISE, is_unary
from executorch.backends.cadence.passes.slices import slice_of
from executorch.backends.transforms.graph_edit import permutation_of
from executorch.backends.transforms.permute_pass_utils import set_arg
from executorch.backends.transforms.remove_permutes_around_elementwise_ops import (
    RemovePermutesAroundElementwiseOps as _RemovePermutes,
)
from executorch.ir.rewriter import (
    arguments,
    in_dialect_of,
    is_call,
    new_call,
    refresh_values,
    replace,
    source_of,
)
from executorch.passes.infrastructure.pass_base import GraphPass


class RemovePermutesAroundElementwiseOps(_RemovePermutes):
    """The pass of ``backends/transforms``, which knows the elementwise operators of ``cadence`` too."""

    def __init__(self, extra_permutable_ops: set[Any] | None = None) -> None:
        super().__init__({*ELEMENTWISE, *(extra_permutable_ops or ())})


#: A mean that has to stride through memory is worth it if what is permuted afterwards is this many times smaller.
_WORTH: Final = 4


class RemovePermuteBeforeMeanPass(GraphPass):
    """``permute -> elementwise ... -> mean`` becomes a mean over other dimensions; what is left of the permutation follows.

    The permutation stays where it makes the mean run over neighbours and the mean leaves nearly as much to permute.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        while any(self._sink(node) for node in list(graph_module.graph.nodes)):
            changed = True
        return changed

    @staticmethod
    def _sink(node: Node) -> bool:
        dims, sizes = permutation_of(node), shape(node.args[0]) if node.args else None
        if dims is None or sizes is None or dims == sorted(dims):
            return False
        chain: list[Node] = []
        last = node
        while len(last.users) == 1:
            (last,) = last.users
            if not is_unary(last):
                break
            chain.append(last)
        if not is_call(last, ATEN.mean.dim) or last.all_input_nodes != [chain[-1] if chain else node]:
            return False
        named = arguments(last)
        reduced = [dim % len(dims) for dim in named["dim"] or range(len(dims))]
        left = _left_over(dims, reduced, bool(named["keepdim"]), sizes)
        is_last = sorted(reduced) == list(range(len(dims) - len(reduced), len(dims)))
        if left and is_last and math.prod(sizes[dims[dim]] for dim in reduced) < _WORTH:
            return False
        set_arg(last, "dim", [dims[dim] for dim in reduced])
        replace(node, source_of(node))
        refresh_values(last.graph, [*chain, last])
        if left:
            users = list(last.users)
            with last.graph.inserting_after(last):
                made = new_call(last, in_dialect_of(last, ATEN.permute_copy.default), (last, left))
            for user in users:
                user.replace_input_with(last, made)
        return True


def _left_over(dims: list[int], reduced: list[int], keeps: bool, sizes: list[int]) -> list[int]:
    """What has to be permuted after a mean over the dimensions before the permutation; nothing, if nothing."""
    if not keeps:
        kept = [old for place, old in enumerate(dims) if place not in reduced]
        ranks = sorted(kept)
        return [] if kept == ranks else [ranks.index(old) for old in kept]
    gone = {dims[place] for place in reduced}
    after = [1 if old in gone else size for old, size in enumerate(sizes)]
    moved = [old for old in dims if after[old] != 1]
    same = [after[old] for old in dims] == after and moved == sorted(moved)
    return [] if same else dims


class RemoveSqueezeViewBeforeElementwiseOps(GraphPass):
    """A view that only drops dimensions of size 1 goes if all that follows is elementwise, or slices, up to the next views.

    Those take any shape with as many elements, so the dimensions stay until then.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if is_call(node, ATEN.view_copy.default) and node.users:
                changed |= self._remove(node)
        return changed

    @staticmethod
    def _remove(squeeze: Node) -> bool:
        kept = _kept_dims(shape(squeeze.args[0]), shape(squeeze))
        if kept is None:
            return False
        inner: list[Node] = []
        pending = list(squeeze.users)
        while pending:
            node = pending.pop()
            if is_call(node, ATEN.view_copy.default):
                if any(isinstance(size, Node) for size in node.args[1]):  # type: ignore[union-attr]
                    return False
            elif is_unary(node) or slice_of(node) is not None:
                inner.append(node)
                pending += node.users
            else:
                return False
        if not inner:
            return False
        for node in inner:
            taken = slice_of(node)
            if taken is not None:
                set_arg(node, "dim", kept[taken.dim])
        replace(squeeze, source_of(squeeze))
        refresh_values(inner[0].graph, inner)
        return True


def _kept_dims(before: list[int] | None, after: list[int] | None) -> list[int] | None:
    """Which dimensions a view keeps that drops some of size 1; None if it does anything else, or nothing."""
    if before is None or after is None or len(before) <= len(after):
        return None
    kept: list[int] = []
    for dim, size in enumerate(before):
        if len(kept) < len(after) and size == after[len(kept)]:
            kept.append(dim)
        elif size != 1:
            return None
    return kept if len(kept) == len(after) else None


__all__ = [
    "RemovePermuteBeforeMeanPass",
    "RemovePermutesAroundElementwiseOps",
    "RemoveSqueezeViewBeforeElementwiseOps",
]
