"""Programs as JSON, for people and for tools that read the schema's JSON form."""

import dataclasses
import json
import math
import types
import typing
from enum import Enum
from typing import Any

from executorch.schema.program import Program


def _program_to_json(program: Program) -> str:
    """A program's objects in the JSON form that the flatbuffer compiler reads.

    Enums are their numbers, bytes lists of numbers, unions two members (``val`` and ``val_type``), and numbers that
    are not finite the texts ``inf``, ``-inf`` and ``nan``.
    """
    return json.dumps(_plain(program), allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _members(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(memoryview(value).cast("B"))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _members(value: Any) -> dict[str, Any]:
    unions = _union_members(type(value))
    members: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        member = getattr(value, field.name)
        members[field.name] = _plain(member)
        if field.name in unions:
            members[f"{field.name}_type"] = type(member).__name__
    return members


def _union_members(cls: type) -> set[str]:
    """Names of the fields that hold one of several tables."""
    found = set()
    for name, hint in typing.get_type_hints(cls).items():
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            tables = [arg for arg in typing.get_args(hint) if dataclasses.is_dataclass(arg)]
            if len(tables) > 1:
                found.add(name)
    return found


__all__ = ["_program_to_json"]
