"""Documented path of :class:`executorch.partitioner.GroupBasedPartitioner`."""

from executorch.partitioner import GroupBasedPartitioner

__all__ = [
    "GroupBasedPartitioner",
]
