"""Documented path of :mod:`executorch.emitter` for files."""

from executorch.emitter import (
    Cord,
    DataEntry,
    DataPayload,
    DataSerializer,
    FlatTensorConfig,
    FlatTensorSerializer,
    PTEFile,
    deserialize_pte_binary,
    serialize_pte_binary,
)

#: The names under which earlier releases of the system had them.
_PTEFile = PTEFile
_serialize_pte_binary = serialize_pte_binary
_deserialize_pte_binary = deserialize_pte_binary

__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "DataSerializer",
    "FlatTensorConfig",
    "FlatTensorSerializer",
    "PTEFile",
    "_PTEFile",
    "_deserialize_pte_binary",
    "_serialize_pte_binary",
    "deserialize_pte_binary",
    "serialize_pte_binary",
]
