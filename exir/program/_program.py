"""Older path of :mod:`executorch.exir.program`."""

from executorch.exir.edge_manager import EdgeProgramManager
from executorch.exir.entry_points import to_edge, to_edge_transform_and_lower, to_edge_with_preserved_ops
from executorch.exir.executorch_manager import ExecutorchProgramManager

__all__ = [
    "EdgeProgramManager",
    "ExecutorchProgramManager",
    "to_edge",
    "to_edge_transform_and_lower",
    "to_edge_with_preserved_ops",
]
