"""Documented path of :mod:`executorch.passes.to_execution.weights_to_outputs_pass`."""

from executorch.passes.to_execution.weights_to_outputs_pass import weights_to_outputs_pass

__all__ = [
    "weights_to_outputs_pass",
]
