"""Arguments that a model wrote as text, as what a tool's schema says that they are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_INTEGER = re.compile(r"-?\d+")
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_CONSTANTS = {"true": True, "false": False}
_CONTAINERS: dict[str, type] = {"array": list, "object": dict}


def strict_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: it is none, or has numbers that JSON cannot say.
    """
    return _DECODER.decode(text)


def leading_json(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that begins at a place, and where it ends.

    Raises:
        ValueError: as of :func:`strict_json`.
    """
    return _DECODER.raw_decode(text, at)


def typed(raw: str, schema: Mapping[str, Any]) -> Any:
    """The value that a text stands for.

    Args:
        raw: as the model wrote it.
        schema: of the argument. Without a type the text is taken for JSON if it is.

    Returns:
        A value of the type, or the text as it is where it is none.
    """
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        found = _of_kind(raw, kind)
        if found is not _NONE:
            return found
    return raw


def schema_of(tool: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """The schema of an argument; of one that is not declared, nothing."""
    properties = (tool or {}).get("properties")
    found = properties.get(name) if isinstance(properties, Mapping) else None
    return found if isinstance(found, Mapping) else {}


#: No value: ``None`` is JSON's null.
_NONE = object()


def _of_kind(raw: str, kind: Any) -> Any:
    text = raw.strip()
    if kind == "string":
        return raw
    if kind == "integer":
        return _number(text, int) if _INTEGER.fullmatch(text) else _NONE
    if kind == "number":
        as_number = int if _INTEGER.fullmatch(text) else float
        return _number(text, as_number) if _NUMBER.fullmatch(text) else _NONE
    if kind == "boolean":
        return _CONSTANTS.get(text.lower(), _NONE)
    if kind == "null":
        return None if text.lower() == "null" else _NONE
    try:
        found = strict_json(text)
    except (ValueError, RecursionError):
        return _NONE
    return found if isinstance(found, _CONTAINERS.get(kind, object)) else _NONE


def _number(text: str, kind: type[int] | type[float]) -> Any:
    try:
        found = kind(text)
    except ValueError:  # more digits than Python reads
        return _NONE
    return found if math.isfinite(found) else _NONE


def _finite(text: str) -> float:
    found = float(text)
    if not math.isfinite(found):
        raise ValueError(f"{text} is beyond what JSON's readers take")
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
