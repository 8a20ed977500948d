"""Documented path of :mod:`executorch.passes.infrastructure.pass_base` and :mod:`executorch.passes.infrastructure.export_pass`."""

from executorch.passes.infrastructure.export_pass import (
    Argument,
    ExportPass,
    ExportPassBaseError,
    NodeMetadata,
    ProxyValue,
)
from executorch.passes.infrastructure.graph_values import map_args
from executorch.passes.infrastructure.pass_base import (
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
