"""Documented path of :mod:`executorch.passes.pass_base` and :mod:`executorch.passes.export_pass`."""

from executorch.passes.export_pass import Argument, ExportPass, ExportPassBaseError, NodeMetadata, ProxyValue
from executorch.passes.graph_values import map_args
from executorch.passes.pass_base import (
    ExportedProgramPassBase,
    ExportedProgramPassResult,
    NodePass,
    PassBase,
    PassResult,
    PassType,
)

#: What the values of a graph are called in annotations.
Value = Argument

__all__ = [
    "Argument",
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
    "Value",
    "map_args",
]
