"""Emission and files: planned graphs to programs, programs to `.pte` and `.ptd` bytes, and back."""

from executorch.emitter.cord import Cord
from executorch.emitter.emit import EmitterOutput, emit_program
from executorch.emitter.errors import EmissionError
from executorch.emitter.flat_tensor import DataSerializer, FlatTensorConfig, FlatTensorSerializer
from executorch.emitter.headers import ExtendedHeader, FlatTensorHeader
from executorch.emitter.named_data import DataEntry, DataPayload
from executorch.emitter.pte_file import PTEFile, deserialize_pte_binary, serialize_pte_binary
from executorch.emitter.serialize import SerializedProgram, serialize_pte

__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "DataSerializer",
    "EmissionError",
    "EmitterOutput",
    "ExtendedHeader",
    "FlatTensorConfig",
    "FlatTensorHeader",
    "FlatTensorSerializer",
    "PTEFile",
    "SerializedProgram",
    "deserialize_pte_binary",
    "emit_program",
    "serialize_pte",
    "serialize_pte_binary",
]
