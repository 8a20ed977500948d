"""Documented path of :mod:`executorch.passes.pass_manager`."""

from executorch.passes.pass_manager import ExportedProgramPassManager, PassManager

__all__ = [
    "ExportedProgramPassManager",
    "PassManager",
]
