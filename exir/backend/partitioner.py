"""Documented path of what a backend implements to choose nodes."""

from torch.export import ExportedProgram

from executorch.partitioner import CompileSpec, DelegationSpec, Partitioner, PartitionResult

__all__ = [
    "CompileSpec",
    "DelegationSpec",
    "ExportedProgram",
    "PartitionResult",
    "Partitioner",
]
