"""Documented path of :mod:`executorch.passes.optimization.remove_unused_parameters_pass`."""

from executorch.passes.optimization.remove_unused_parameters_pass import (
    RemoveUnusedParametersPass,
    remove_unused_parameters_pass,
)

__all__ = [
    "RemoveUnusedParametersPass",
    "remove_unused_parameters_pass",
]
