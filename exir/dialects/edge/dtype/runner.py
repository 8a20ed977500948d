"""Documented path of :class:`executorch.dialects.dtype_runner.DtypeRunner`."""

from executorch.dialects.dtype_runner import DtypeRunner

__all__ = ["DtypeRunner"]
