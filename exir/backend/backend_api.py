"""Documented path of :func:`executorch.partitioner.to_backend`."""

from executorch.partitioner import (
    LoweredBackendModule,
    MethodProgramsPartitionerSpec,
    to_backend,
    validation_disabled,
)

__all__ = [
    "LoweredBackendModule",
    "MethodProgramsPartitionerSpec",
    "to_backend",
    "validation_disabled",
]
