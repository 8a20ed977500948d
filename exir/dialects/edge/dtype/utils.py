"""Documented path of :func:`executorch.dialects.dtype_runner.extract_return_dtype`."""

from executorch.dialects.dtype_runner import extract_return_dtype

__all__ = ["extract_return_dtype"]
