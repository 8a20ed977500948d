"""Objects of a schema as JSON and back, in the form that the flatbuffer compiler reads and writes."""

from __future__ import annotations

import dataclasses
import enum
import json
import math
import types
import typing
from typing import Any, TypeVar

_T = TypeVar("_T")


def to_json(root: Any) -> str:
    """A dataclass as JSON.

    Enums are their numbers, bytes lists of numbers, unions two members (``val`` and ``val_type``), and numbers that are
    not finite the texts ``inf``, ``-inf`` and ``nan``.
    """
    return json.dumps(_plain(root), allow_nan=False)


def from_json(cls: type[_T], text: str | bytes) -> _T:
    """The dataclass that :func:`to_json` wrote; enums may be names, and what is missing has its default.

    Raises:
        ValueError: The text is no JSON, or not that of ``cls``; the message says where.
    """
    try:
        data = json.loads(text)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    made: _T = _read(cls, data, cls.__name__)
    return made


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members: dict[str, Any] = {}
        hints = typing.get_type_hints(type(value))
        for field in dataclasses.fields(value):
            member = getattr(value, field.name)
            if len(_tables(hints[field.name])) > 1:
                members[f"{field.name}_type"] = "NONE" if member is None else type(member).__name__
            members[field.name] = _plain(member)
        return members
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return list(memoryview(value).cast("B"))
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _tables(hint: Any) -> list[type]:
    """The dataclasses that a union may be."""
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return []
    return [arg for arg in typing.get_args(hint) if isinstance(arg, type) and dataclasses.is_dataclass(arg)]


def _read(hint: Any, data: Any, where: str) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return None if data is None else _read(_only(hint), data, where)
    if dataclasses.is_dataclass(hint):
        return _read_table(hint, data, where)  # type: ignore[arg-type]
    if typing.get_origin(hint) is list:
        if not isinstance(data, list):
            raise ValueError(f"{where} should be a list, it is {data!r}")
        (item,) = typing.get_args(hint)
        return [_read(item, entry, f"{where}[{place}]") for place, entry in enumerate(data)]
    try:
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return hint[data] if isinstance(data, str) else hint(data)
        if hint is float or hint is bytes:
            return hint(data)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{where} should be a {hint.__name__}, it is {data!r}") from None
    if isinstance(hint, type) and type(data) is not hint:
        raise ValueError(f"{where} should be a {hint.__name__}, it is {data!r}")
    return data


def _only(hint: Any) -> Any:
    return next(arg for arg in typing.get_args(hint) if arg is not type(None))


def _read_table(cls: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise ValueError(f"{where} should be an object, it is {data!r}")
    hints = typing.get_type_hints(cls)
    unknown = (
        set(data) - set(hints) - {f"{name}_type" for name, hint in hints.items() if len(_tables(hint)) > 1}
    )
    if unknown:
        raise ValueError(f"{where} has no members {sorted(unknown)}; there are {sorted(hints)}")
    values: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        if field.name not in data:
            continue
        place, hint = f"{where}.{field.name}", hints[field.name]
        tables = {table.__name__: table for table in _tables(hint)}
        if len(tables) > 1:
            kind = data.get(f"{field.name}_type")
            if kind == "NONE":
                values[field.name] = None
                continue
            if kind not in tables:
                raise ValueError(f"{place}_type should be one of {sorted(tables)}, it is {kind!r}")
            hint = tables[kind]
        values[field.name] = _read(hint, data[field.name], place)
    return cls(**values)


__all__ = ["from_json", "to_json"]
