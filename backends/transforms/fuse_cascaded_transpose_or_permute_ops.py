"""One permutation for two that follow each other, none where the second undoes the first."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.channels_last_layout import PERMUTE_COPY_TARGETS
from executorch.backends.transforms.graph_edit import permutation_of, view_arguments
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, is_call, replace, source_of
from executorch.ir.values import shape_of
from executorch.ir.views import VIEWS


class FuseCascadedTransposeOrPermuteOps(RemoveOrReplacePassInterface):
    """``permute_copy`` and ``transpose_copy`` after one of them become one ``permute_copy`` of its input.

    With a view in between that adds or drops dimensions of size 1 and has no other reader, all three become one view
    where the second permutation undoes the first for all other dimensions.
    """

    transpose_or_permute_target = {ops.edge.aten.transpose_copy.int, *PERMUTE_COPY_TARGETS}

    @property
    def targets(self) -> list[Any]:
        return list(self.transpose_or_permute_target)

    def maybe_remove_or_replace(self, node: Node) -> bool:
        parent = node.args[0]
        if isinstance(parent, Node) and is_call(parent, *VIEWS):
            return self._fuse_across_view(node, parent)
        if not isinstance(parent, Node) or parent.target not in self.transpose_or_permute_target:
            return False
        first, second = permutation_of(parent), permutation_of(node)
        source: Any = parent.args[0]
        if first is None or second is None:
            return False
        _permute_by(node, source, [first[dim] for dim in second])
        return True

    def _fuse_across_view(self, node: Node, view: Node) -> bool:
        permute = source_of(view)
        if permute.target not in self.transpose_or_permute_target or len(view.users) != 1:
            return False
        sizes = view_arguments(node, shape_of(node) or ())
        if sizes is None or not _is_view_in_all(permute, view, node):
            return False
        _replace(node, call_like(node, torch.ops.aten.view_copy.default, (permute.args[0], sizes)))
        return True


def _is_view_in_all(permute: Node, view: Node, node: Node) -> bool:
    """Whether ``node`` brings the dimensions that are not 1 back into the order that they had before ``permute``."""
    first, second = permutation_of(permute), permutation_of(node)
    before, after = shape_of(permute), shape_of(view)
    if first is None or second is None or before is None or after is None:
        return False
    real = [dim for dim, size in enumerate(before) if str(size) != "1"]
    shown = [dim for dim, size in enumerate(after) if str(size) != "1"]
    if [str(before[dim]) for dim in real] != [str(after[dim]) for dim in shown]:
        return False
    came_from = dict(zip(shown, (first[dim] for dim in real), strict=True))
    found = [came_from[dim] for dim in second if dim in came_from]
    return found == sorted(found)


def _permute_by(node: Node, source: Node, dims: list[int]) -> None:
    """Puts the permutation ``dims`` of ``source`` in place of ``node``, or ``source`` where it moves nothing."""
    if dims == sorted(dims):
        replace(node, source)
    else:
        _replace(node, call_like(node, torch.ops.aten.permute_copy.default, (source, dims)))


def _replace(node: Node, new: Node) -> None:
    """The same value by another call: what was noted of ``node`` is true of it."""
    new.meta = node.meta
    replace(node, new)


__all__ = ["FuseCascadedTransposeOrPermuteOps"]
