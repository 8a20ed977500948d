"""Documented path of :mod:`executorch.passes.pass_base` and :mod:`executorch.passes.export_pass`."""

from executorch.passes.export_pass import ExportPass, ExportPassBaseError, NodeMetadata, ProxyValue
from executorch.passes.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    NodePass,
    PassBase,
    PassResult,
    PassType,
)

__all__ = [
    "ExportPass",
    "ExportPassBaseError",
    "ExportedProgramPassBase",
    "ExportedProgramPassResult",
    "NodeMetadata",
    "NodePass",
    "PassBase",
    "PassResult",
    "PassType",
    "ProxyValue",
]
