"""Documented paths of the edge dialect."""

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket

__all__ = [
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
]
