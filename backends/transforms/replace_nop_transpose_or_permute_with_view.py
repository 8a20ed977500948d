"""Views for permutations that leave every element where it is."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.channels_last_layout import PERMUTE_COPY_TARGETS
from executorch.backends.transforms.graph_edit import permutation_of, view_arguments
from executorch.backends.transforms.permute_pass_utils import RemoveOrReplacePassInterface
from executorch.dialects.ops import ops
from executorch.ir.rewriter import call_like, replace, source_of
from executorch.ir.values import shape_of


class ReplaceNopTransposeOrPermuteWithViewPass(RemoveOrReplacePassInterface):
    """A permutation that moves only dimensions of size 1 becomes a ``view_copy``; one that moves nothing goes."""

    @property
    def targets(self) -> list[Any]:
        return [ops.edge.aten.transpose_copy.int, *PERMUTE_COPY_TARGETS]

    def maybe_remove_or_replace(self, node: Node) -> bool:
        dims, before, after = permutation_of(node), shape_of(node.args[0]), shape_of(node)
        if dims is None or before is None or after is None:
            return False
        if dims == sorted(dims):
            replace(node, source_of(node))
            return True
        kept = [dim for dim in dims if str(before[dim]) != "1"]
        sizes = view_arguments(node, after)
        if kept != sorted(kept) or sizes is None:
            return False
        replace(node, call_like(node, torch.ops.aten.view_copy.default, (node.args[0], sizes)))
        return True


__all__ = ["ReplaceNopTransposeOrPermuteWithViewPass"]
