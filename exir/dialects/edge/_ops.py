"""Documented path of :mod:`executorch.dialects.edge_ops`."""

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket

__all__ = [
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
]
