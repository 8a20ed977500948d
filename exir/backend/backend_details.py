"""Documented path of what a backend implements."""

from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult, executorch_call_delegate

__all__ = [
    "BackendDetails",
    "CompileSpec",
    "PreprocessResult",
    "executorch_call_delegate",
]
