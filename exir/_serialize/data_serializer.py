"""Documented path of :mod:`executorch.emitter`."""

from executorch.emitter import Cord, DataEntry, DataPayload, DataSerializer, FlatTensorSerializer
from executorch.schema.flat_tensor import TensorLayout

__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "DataSerializer",
    "FlatTensorSerializer",
    "TensorLayout",
]
