"""Documented path of torch's serialization of exported programs, on which :mod:`executorch.exir.serde.serialize` stands."""

from torch._export.serde.serialize import (
    EnumEncoder,
    ExportedProgramDeserializer,
    ExportedProgramSerializer,
    ExtensionHandler,
    GraphModuleDeserializer,
    GraphModuleSerializer,
    GraphState,
    LazyMap,
    SerializedArtifact,
    SerializeError,
    _reduce_fake_tensor,
    canonicalize,
    deserialize_device,
    register_extension,
    serialize_range_constraints,
    serialize_sym_bool,
    serialize_sym_int,
    serialize_tensor_meta,
    serialize_torch_artifact,
)

from executorch.exir.serde._fake_tensors import (
    _CURRENT_DESERIALIZER,
    _reconstruct_fake_tensor,
    deserialize_torch_artifact,
)

__all__ = [
    "_CURRENT_DESERIALIZER",
    "EnumEncoder",
    "ExportedProgramDeserializer",
    "ExportedProgramSerializer",
    "ExtensionHandler",
    "GraphModuleDeserializer",
    "GraphModuleSerializer",
    "GraphState",
    "LazyMap",
    "SerializeError",
    "SerializedArtifact",
    "_reconstruct_fake_tensor",
    "_reduce_fake_tensor",
    "canonicalize",
    "deserialize_device",
    "deserialize_torch_artifact",
    "register_extension",
    "serialize_range_constraints",
    "serialize_sym_bool",
    "serialize_sym_int",
    "serialize_tensor_meta",
    "serialize_torch_artifact",
]
