"""Documented path of the tables in a `.ptd` file."""

from executorch.schema.flat_tensor import DataSegment, FlatTensor, NamedData, TensorLayout
from executorch.schema.scalar_type import ScalarType

__all__ = ["DataSegment", "FlatTensor", "NamedData", "ScalarType", "TensorLayout"]
