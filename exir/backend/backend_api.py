"""Documented path of :func:`executorch.partitioner.to_backend`."""

from torch.export import ExportedProgram

from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    LoweredBackendModule,
    MethodProgramsPartitionerSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    disable_validation,
    executorch_call_delegate,
    is_identical_graph,
    to_backend,
    validation_disabled,
)

__all__ = [
    "BackendDetails",
    "CompileSpec",
    "ExportedProgram",
    "LoweredBackendModule",
    "MethodProgramsPartitionerSpec",
    "PartitionResult",
    "Partitioner",
    "PreprocessResult",
    "disable_validation",
    "executorch_call_delegate",
    "is_identical_graph",
    "to_backend",
    "validation_disabled",
]
