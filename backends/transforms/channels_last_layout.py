"""Which operators reorder dimensions."""

from __future__ import annotations

from torch.fx import Node
from torch.fx.node import Target

import executorch.backends.transforms.channels_last_ops  # noqa: F401  (defines channels_last::permute_copy)
from executorch.dialects.ops import ops

#: ATen's permutation, and the one that marks the border between NCHW and NHWC.
PERMUTE_COPY_TARGETS: frozenset[Target] = frozenset(
    {ops.edge.aten.permute_copy.default, ops.edge.channels_last.permute_copy.default}
)


def is_permute_copy(node: Node) -> bool:
    """Whether ``node`` calls one of ``PERMUTE_COPY_TARGETS``."""
    return node.op == "call_function" and node.target in PERMUTE_COPY_TARGETS


__all__ = ["PERMUTE_COPY_TARGETS", "is_permute_copy"]
