"""Documented path of the layout of tensors in data files."""

from executorch.schema.flat_tensor import TensorLayout

__all__ = ["TensorLayout"]
