"""Documented path of writing and reading `.ptd` files; the code is :mod:`executorch.emitter.flat_tensor`."""

from executorch.emitter import (
    Cord,
    DataEntry,
    DataPayload,
    DataSerializer,
    FlatTensorConfig,
    FlatTensorHeader,
    FlatTensorSerializer,
)
from executorch.schema.flat_tensor import DataSegment, FlatTensor, NamedData, TensorLayout

__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "DataSegment",
    "DataSerializer",
    "FlatTensor",
    "FlatTensorConfig",
    "FlatTensorHeader",
    "FlatTensorSerializer",
    "NamedData",
    "TensorLayout",
]
