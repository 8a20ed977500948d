"""Documented path of :mod:`executorch.dialects.backend_ops`."""

from executorch.dialects.backend_ops import BackendOpOverload, BackendOpOverloadPacket

__all__ = [
    "BackendOpOverload",
    "BackendOpOverloadPacket",
]
