"""One permutation for two that follow each other, none where the second undoes the first."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.channels_last_layout import PERMUTE_COPY_TARGETS
from executorch.backends.transforms.graph_edit import (
    VIEWS,
    call_like,
    is_call,
    permutation_of,
    replace,
    source_of,
)
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.backends.transforms.postpone_permute_below_squeeze_view import view_before_permute
from executorch.dialects.ops import ops


class FuseCascadedTransposeOrPermuteOps(RemoveOrReplacePassInterface):
    """``permute_copy`` and ``transpose_copy`` after one of them become one ``permute_copy`` of its input.

    Also with a view in between that adds or drops one dimension of size 1 and has no other reader; it goes first then.
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
        moved = view_before_permute(permute, view)
        dims = permutation_of(node)
        if moved is None or dims is None:
            return False
        sizes, first = moved
        new_view = call_like(node, torch.ops.aten.view_copy.default, (permute.args[0], sizes))
        _permute_by(node, new_view, [first[dim] for dim in dims])
        return True


def _permute_by(node: Node, source: Node, dims: list[int]) -> None:
    """Puts the permutation ``dims`` of ``source`` in place of ``node``, or ``source`` where it moves nothing."""
    if dims == sorted(dims):
        replace(node, source)
    else:
        replace(node, call_like(node, torch.ops.aten.permute_copy.default, (source, dims)))


__all__ = ["FuseCascadedTransposeOrPermuteOps"]
