"""Documented path of what a backend implements."""

from torch.export import ExportedProgram

from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    NamedDataStoreOutput,
    PreprocessResult,
    executorch_call_delegate,
)

__all__ = [
    "BackendDetails",
    "CompileSpec",
    "ExportedProgram",
    "NamedDataStoreOutput",
    "PreprocessResult",
    "executorch_call_delegate",
]
