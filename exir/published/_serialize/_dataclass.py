"""Dataclasses of a flatbuffer schema as JSON, in the form that the flatbuffer compiler reads and writes."""

import dataclasses
import json
import types
import typing
from enum import Enum
from typing import Any

from executorch.exir.published._serialize._json import _plain


class _DataclassEncoder(json.JSONEncoder):
    """Dataclasses as objects, enums as numbers, bytes as lists of numbers; see :mod:`executorch.exir.published._serialize._json`."""

    def default(self, o: Any) -> Any:
        plain = _plain(o)
        return super().default(o) if plain is o else plain


def _is_optional(T: Any) -> bool:
    """Whether a type annotation is ``Optional`` of one type."""
    members = typing.get_args(T)
    return _is_union(T) and len(members) == 2 and type(None) in members


def _is_strict_union(T: Any, cls: Any, key: str) -> bool:
    """Whether a field holds one of several tables: then JSON has its kind beside it, in ``<key>_type``.

    Args:
        T: annotation of the field.
        cls, key: the class and its field, whose table of names the annotation may refer to.
    """
    T = typing.get_type_hints(cls).get(key, T) if isinstance(T, str) else T
    tables = [member for member in typing.get_args(T) if dataclasses.is_dataclass(member)]
    return _is_union(T) and len(tables) > 1


def _get_class_from_union(json_dict: dict[str, Any], key: str, cls: Any) -> Any:
    """The table that the field ``key`` of ``cls`` holds in ``json_dict``.

    Raises:
        KeyError: the object does not say which.
        IndexError: it names none of the field's tables.
    """
    name = json_dict[f"{key}_type"]
    members = typing.get_args(typing.get_type_hints(cls)[key])
    known = {member.__name__: member for member in members if isinstance(member, type)}
    if name not in known:
        raise IndexError(f"{cls.__name__}.{key} holds one of {sorted(known)}, not {name!r}")
    return known[name]


def _json_to_dataclass(json_dict: Any, cls: Any = None) -> Any:
    """Builds ``cls`` from parsed JSON. Enums are accepted by name and by number; members that ``cls`` lacks are left out.

    Args:
        json_dict: an object, or a leaf where ``cls`` is the annotation of a leaf.
        cls: a dataclass, or an annotation made of dataclasses, lists, dictionaries, tuples, optionals and leaves; None
            gives ``json_dict`` back.

    Raises:
        TypeError: a field that is not optional has no value.
    """
    if cls is None or cls is Any:
        return json_dict
    if not dataclasses.is_dataclass(cls):
        return _leaf(json_dict, cls)
    hints = typing.get_type_hints(cls)
    values = {}
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        value = json_dict.get(field.name)
        if value is None:
            values[field.name] = _absent(field, hint, field.name in json_dict)
        elif _is_strict_union(hint, cls, field.name):
            table = _get_class_from_union(json_dict, field.name, cls)
            values[field.name] = _json_to_dataclass(value, table)
        else:
            values[field.name] = _json_to_dataclass(value, hint)
    return cls(**values)  # type: ignore[operator]


def _absent(field: "dataclasses.Field[Any]", hint: Any, is_null: bool) -> Any:
    """What a field without a value gets."""
    if is_null or _is_optional(hint):
        return None
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    raise TypeError(
        f"Invalid Buffer. Received no value for field: {field.name}, but {field.name} : {hint} is not an Optional type."
    )


def _leaf(value: Any, hint: Any) -> Any:
    """A value that is no table, in the type that its annotation says."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if _is_optional(hint):
        (hint,) = [item for item in arguments if item is not type(None)]
        return None if value is None else _json_to_dataclass(value, hint)
    if origin is list:
        return [_json_to_dataclass(item, arguments[0]) for item in value]
    if origin is tuple:
        kinds = [arguments[0]] * len(value) if arguments[-1] is Ellipsis else arguments
        return tuple(_json_to_dataclass(item, kind) for item, kind in zip(value, kinds, strict=True))
    if origin is dict:
        return {key: _json_to_dataclass(item, arguments[1]) for key, item in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint[value] if isinstance(value, str) else hint(value)
    if hint in (bytes, float, int, bool, str):
        return hint(value)  # "inf" and "nan" are numbers in this form
    return value


def _is_union(T: Any) -> bool:
    return typing.get_origin(T) in (typing.Union, types.UnionType)
