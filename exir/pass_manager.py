"""Documented path of :mod:`executorch.passes.infrastructure.pass_manager`."""

from executorch.passes.infrastructure.pass_base import ExportedProgramPassBase, ExportedProgramPassResult
from executorch.passes.infrastructure.pass_manager import ExportedProgramPassManager, PassManager

__all__ = [
    "ExportedProgramPassBase",
    "ExportedProgramPassManager",
    "ExportedProgramPassResult",
    "PassManager",
]
