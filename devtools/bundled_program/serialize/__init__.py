"""Bundled programs as bytes and as JSON, and back."""

from __future__ import annotations

from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.bundled_program.serialize.json_form import from_json, to_json
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


def serialize_from_bundled_program_to_json(bundled_program: schema.BundledProgram) -> str:
    """The objects of a ``.bpte`` file as JSON; bytes are lists of numbers."""
    return to_json(bundled_program)


def deserialize_from_json_to_bundled_program(program_json: str | bytes) -> schema.BundledProgram:
    """The objects that :func:`serialize_from_bundled_program_to_json` wrote.

    Raises:
        ValueError: The text is not the JSON of a bundled program; the message says where.
    """
    return from_json(schema.BundledProgram, program_json)


def convert_to_flatbuffer(program_json: str | bytes) -> bytes:
    """The contents of a ``.bpte`` file from their JSON.

    Raises:
        ValueError: As for :func:`deserialize_from_json_to_bundled_program`.
    """
    return schema.write_bundled_program(deserialize_from_json_to_bundled_program(program_json)).tobytes()


def convert_from_flatbuffer(program_flatbuffer: bytes) -> bytes:
    """The JSON of a ``.bpte`` file's contents.

    Raises:
        ValueError: As for :func:`deserialize_from_flatbuffer_to_bundled_program`.
    """
    return to_json(deserialize_from_flatbuffer_to_bundled_program(program_flatbuffer)).encode()


__all__ = [
    "convert_from_flatbuffer",
    "convert_to_flatbuffer",
    "deserialize_from_flatbuffer_to_bundled_program",
    "deserialize_from_json_to_bundled_program",
    "serialize_from_bundled_program_to_flatbuffer",
    "serialize_from_bundled_program_to_json",
]
