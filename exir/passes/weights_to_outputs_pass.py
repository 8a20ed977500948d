"""Documented path of :mod:`executorch.passes.weights_to_outputs_pass`."""

from executorch.passes.weights_to_outputs_pass import weights_to_outputs_pass

__all__ = [
    "weights_to_outputs_pass",
]
