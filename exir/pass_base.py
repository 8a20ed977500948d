"""Documented path of :mod:`executorch.passes.pass_base` and :mod:`executorch.passes.export_pass`."""

from executorch.passes.pass_base import ExportedProgramPassBase, ExportedProgramPassResult, NodePass, PassBase, PassResult, PassType
from executorch.passes.export_pass import ExportPass, NodeMetadata, ProxyValue

__all__ = [
    "ExportPass",
    "ExportedProgramPassBase",
    "ExportedProgramPassResult",
    "NodeMetadata",
    "NodePass",
    "PassBase",
    "PassResult",
    "PassType",
    "ProxyValue",
]
