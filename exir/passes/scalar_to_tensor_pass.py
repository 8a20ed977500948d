"""Documented path of :mod:`executorch.passes.to_edge.scalar_to_tensor_pass`."""

from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass

__all__ = [
    "ScalarToTensorPass",
]
