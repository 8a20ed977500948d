"""Documented path of filters for partitioners."""

from executorch.partitioner import DontPartition, DontPartitionModule, DontPartitionName, DontSupportBase

__all__ = [
    "DontPartition",
    "DontPartitionModule",
    "DontPartitionName",
    "DontSupportBase",
]
