"""Which operators reorder dimensions."""

from __future__ import annotations

from torch.fx import Node
from torch.fx.node import Target

import executorch.backends.transforms.channels_last_ops  # noqa: F401  (defines channels_last::permute_copy)
from executorch.dialects.ops import ops

ATEN_PERMUTE_COPY = ops.edge.aten.permute_copy.default
#: The permutation that marks the border between NCHW and NHWC.
LAYOUT_PERMUTE_COPY = ops.edge.channels_last.permute_copy.default
PERMUTE_COPY_TARGETS: frozenset[Target] = frozenset({ATEN_PERMUTE_COPY, LAYOUT_PERMUTE_COPY})


def is_permute_copy(node: Node) -> bool:
    """Whether ``node`` calls one of ``PERMUTE_COPY_TARGETS``."""
    return node.op == "call_function" and node.target in PERMUTE_COPY_TARGETS


__all__ = ["ATEN_PERMUTE_COPY", "LAYOUT_PERMUTE_COPY", "PERMUTE_COPY_TARGETS", "is_permute_copy"]
