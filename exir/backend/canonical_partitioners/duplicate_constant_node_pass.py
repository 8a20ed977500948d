"""Documented path of :func:`executorch.partitioner.duplicate_constant_node`."""

from executorch.partitioner import duplicate_constant_node

__all__ = [
    "duplicate_constant_node",
]
