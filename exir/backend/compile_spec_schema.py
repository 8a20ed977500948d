"""Documented path of :class:`executorch.partitioner.CompileSpec`."""

from executorch.partitioner import CompileSpec

__all__ = [
    "CompileSpec",
]
