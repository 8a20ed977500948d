"""Documented paths of :mod:`executorch.partitioner`."""

from executorch.partitioner import to_backend

__all__ = [
    "to_backend",
]
