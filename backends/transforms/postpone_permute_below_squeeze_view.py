"""Permutations after views that add or drop one dimension of size 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.channels_last_layout import PERMUTE_COPY_TARGETS
from executorch.backends.transforms.graph_edit import permutation_of, view_arguments
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.ir.rewriter import call_like, is_call, replace
from executorch.ir.values import shape_of

_aten = torch.ops.aten


class PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView(RemoveOrReplacePassInterface):
    """``permute -> view`` becomes ``view -> permute`` where the view adds or drops one dimension of size 1 and a
    permutation follows, with which the moved one can then be merged."""

    @property
    def targets(self) -> list[Any]:
        return list(PERMUTE_COPY_TARGETS)

    def check_if_shapes_differ_in_single_dim_of_size_1(self, list1: list[Any], list2: list[Any]) -> int:
        """Where the longer has one dimension of size 1 more; -1 if they differ otherwise."""
        return _extra_one(list1, list2)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        if len(node.users) != 1:
            return False
        (view,) = node.users
        if not is_call(view, _aten.view_copy.default):
            return False
        if not any(permutation_of(user) is not None for user in view.users):
            return False
        moved = view_before_permute(node, view)
        if moved is None:
            return False
        sizes, dims = moved
        new_view = call_like(view, _aten.view_copy.default, (node.args[0], sizes))
        replace(view, call_like(view, _aten.permute_copy.default, (new_view, dims)))
        return True


def view_before_permute(permute: Node, view: Node) -> tuple[list[Any], list[int]] | None:
    """Sizes of a view, and the permutation after it, that together do what ``view`` does after ``permute``.

    None unless ``view`` adds or drops one dimension of size 1.
    """
    dims, before, after = permutation_of(permute), shape_of(permute), shape_of(view)
    source = shape_of(permute.args[0])
    if dims is None or before is None or after is None or source is None:
        return None
    dim = _extra_one(before, after)
    if dim < 0:
        return None
    shape, new_dims = _moved(list(source), dims, dim, len(after) > len(before))
    sizes = view_arguments(view, shape)
    return None if sizes is None else (sizes, new_dims)


def _extra_one(first: Sequence[Any], second: Sequence[Any]) -> int:
    longer, shorter = sorted(
        ([str(size) for size in shape] for shape in (first, second)), key=len, reverse=True
    )
    if len(longer) != len(shorter) + 1:
        return -1
    places = (
        dim for dim, size in enumerate(longer) if size == "1" and longer[:dim] + longer[dim + 1 :] == shorter
    )
    return next(places, -1)


def _moved(source: list[Any], dims: list[int], dim: int, adds: bool) -> tuple[list[Any], list[int]]:
    """Sizes of the view that comes first now, and the permutation after it."""
    if adds:
        # Before the permutation the new dimension stands at the same place as after it.
        shifted = [old + (old >= dim) for old in dims]
        return [*source[:dim], 1, *source[dim:]], [*shifted[:dim], dim, *shifted[dim:]]
    dropped = dims[dim]
    kept = [old - (old > dropped) for old in dims if old != dropped]
    return [*source[:dropped], *source[dropped + 1 :]], kept


__all__ = ["PostponePermuteOpBelowSqueezeOrUnsqueezeLikeView"]
