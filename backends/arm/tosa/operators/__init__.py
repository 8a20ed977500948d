"""The lowerings; importing this package fills the registry."""

from executorch.backends.arm.tosa.operators import elementwise, integer, matrix, reduce, shape, spatial

__all__ = ["elementwise", "integer", "matrix", "reduce", "shape", "spatial"]
