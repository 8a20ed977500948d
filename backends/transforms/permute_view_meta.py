"""The value of a permutation or view whose operand or arguments were changed."""

from __future__ import annotations

from torch.fx import Node

from executorch.ir.rewriter import refresh_values


def refresh_permute_view_meta(node: Node) -> None:
    """Computes ``meta["val"]`` of ``node`` anew, and of what depends on it as far as sizes or types change."""
    refresh_values(node.graph, (node,))


__all__ = ["refresh_permute_view_meta"]
