"""Documented path of :class:`executorch.partitioner.DuplicateDequantNodePass`."""

from executorch.partitioner import DuplicateDequantNodePass

__all__ = [
    "DuplicateDequantNodePass",
]
