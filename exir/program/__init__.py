"""Documented path of the entry points and managers."""

from executorch.exir.edge_manager import EdgeProgramManager
from executorch.exir.entry_points import to_edge, to_edge_transform_and_lower, to_edge_with_preserved_ops
from executorch.exir.executorch_manager import ExecutorchProgramManager
from executorch.exir.legacy_program import ExecutorchProgram, ExirExportedProgram
from executorch.exir.program._program import edge_to_executorch_passes

__all__ = [
    "EdgeProgramManager",
    "ExecutorchProgram",
    "ExecutorchProgramManager",
    "ExirExportedProgram",
    "edge_to_executorch_passes",
    "to_edge",
    "to_edge_transform_and_lower",
    "to_edge_with_preserved_ops",
]
