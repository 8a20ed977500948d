"""Documented path of :mod:`executorch.passes.scalar_to_tensor_pass`."""

from executorch.passes.scalar_to_tensor_pass import ScalarToTensorPass

__all__ = [
    "ScalarToTensorPass",
]
