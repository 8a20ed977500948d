"""Bundled programs as bytes and back."""

from __future__ import annotations

from executorch.devtools.bundled_program.core import BundledProgram
from executorch.schema import bundled_program as schema

_IDENTIFIER_AT = slice(4, 8)


def serialize_from_bundled_program_to_flatbuffer(bundled_program: BundledProgram) -> bytes:
    """The contents of a ``.bpte`` file."""
    return schema.write_bundled_program(bundled_program.serialize_to_schema()).tobytes()


def deserialize_from_flatbuffer_to_bundled_program(flatbuffer: bytes) -> schema.BundledProgram:
    """The objects in a ``.bpte`` file.

    Raises:
        ValueError: The bytes are not a bundled program, or not all of it.
    """
    found = bytes(flatbuffer[_IDENTIFIER_AT])
    if found != schema.FILE_IDENTIFIER.encode():
        raise ValueError(
            f"not a bundled program: the identifier is {found!r}, expected {schema.FILE_IDENTIFIER.encode()!r}"
        )
    return schema.read_bundled_program(flatbuffer)


__all__ = ["deserialize_from_flatbuffer_to_bundled_program", "serialize_from_bundled_program_to_flatbuffer"]
