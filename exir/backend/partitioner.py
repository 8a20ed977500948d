"""Documented path of what a backend implements to choose nodes."""

from executorch.partitioner import DelegationSpec, PartitionResult, Partitioner

__all__ = [
    "DelegationSpec",
    "PartitionResult",
    "Partitioner",
]
