"""Documented path of :mod:`executorch.dialects.memory`."""

from executorch.dialects.memory import AllocSpec, alloc, free, view

__all__ = [
    "AllocSpec",
    "alloc",
    "free",
    "view",
]
