"""Documented path of the pass that turns sizes in tensor places into tensors; it does so with plain numbers too."""

from executorch.passes.to_edge.scalar_to_tensor_pass import ScalarToTensorPass

SymToTensorPass = ScalarToTensorPass

__all__ = [
    "SymToTensorPass",
]
