"""Documented path of :mod:`executorch.emitter` for files."""

from executorch.emitter import (
    Cord,
    DataEntry,
    DataPayload,
    FlatTensorConfig,
    FlatTensorSerializer,
    PTEFile,
    deserialize_pte_binary,
    serialize_pte_binary,
)

__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "FlatTensorConfig",
    "FlatTensorSerializer",
    "PTEFile",
    "deserialize_pte_binary",
    "serialize_pte_binary",
]
