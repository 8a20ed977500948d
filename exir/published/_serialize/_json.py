"""Programs as JSON, for people and for tools that read the schema's JSON form."""

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable
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
    """``value`` as what JSON has, in the form that the flatbuffer compiler reads."""
    return _converted(value, lambda enum: enum.value, with_null=True)


def _named(value: Any) -> Any:
    """The same in the form that the flatbuffer compiler writes: enums by name, nothing for fields without a value."""
    return _converted(value, lambda enum: enum.name, with_null=False)


def _converted(value: Any, of_enum: Callable[[Enum], Any], with_null: bool) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _members(value, of_enum, with_null)
    if isinstance(value, Enum):
        return of_enum(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(memoryview(value).cast("B"))
    if isinstance(value, (list, tuple)):
        return [_converted(item, of_enum, with_null) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _members(value: Any, of_enum: Callable[[Enum], Any], with_null: bool) -> dict[str, Any]:
    unions = _union_members(type(value))
    members: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        member = getattr(value, field.name)
        if member is None and not with_null:
            continue
        members[field.name] = _converted(member, of_enum, with_null)
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
