"""Documented path of :class:`executorch.partitioner.AllNodePartitioner`."""

from executorch.partitioner import AllNodePartitioner
from executorch.partitioner.selection.all_node_partitioner import is_non_tensor_placeholder

__all__ = [
    "AllNodePartitioner",
    "is_non_tensor_placeholder",
]
