"""Documented path of what a backend implements to choose nodes."""

from executorch.partitioner import DelegationSpec, Partitioner, PartitionResult

__all__ = [
    "DelegationSpec",
    "PartitionResult",
    "Partitioner",
]
