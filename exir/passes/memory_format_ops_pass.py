"""Documented path of :mod:`executorch.passes.to_edge.memory_format_ops_pass`."""

from executorch.passes.to_edge.memory_format_ops_pass import DimOrderOpsRevertPass, MemoryFormatOpsPass

__all__ = [
    "DimOrderOpsRevertPass",
    "MemoryFormatOpsPass",
]
