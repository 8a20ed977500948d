"""Documented paths of the edge dialect."""

from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket
from executorch.exir._submodules import submodule_getter

__getattr__ = submodule_getter(__name__, "_ops dtype op")

__all__ = [
    "EdgeOpOverload",
    "EdgeOpOverloadPacket",
]
