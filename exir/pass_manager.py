"""Documented path of :mod:`executorch.passes.pass_manager`."""

from executorch.passes.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.pass_manager import ExportedProgramPassManager, PassManager

__all__ = [
    "ExportedProgramPassBase",
    "ExportedProgramPassManager",
    "ExportedProgramPassResult",
    "PassManager",
]
