"""Configurations out of YAML files and of overrides as Hydra writes them (``+base.checkpoint=model.pth``).

What a field may be is said by its dataclass; a text becomes what the field wants, and what does not fit is an error that names the key.
References (``${base.params}``) are what they refer to; see :mod:`interpolation`.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from executorch.extension.llm.export.config.interpolation import resolved
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.models.refusal import RefusalError


def from_yaml(text: str, overrides: Sequence[str] = ()) -> LlmConfig:
    """The configuration of a file's text and of overrides, which win.

    Raises:
        ValueError: the text is no mapping of groups, there is no such key, a value does not fit its field, or values contradict each other.
    """
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RefusalError(f"the configuration is no YAML: {error}") from error
    if not isinstance(read if read is not None else {}, dict):
        raise RefusalError(f"the configuration is no mapping of groups such as base and model, but {read!r}")
    return from_mapping(read or {}, overrides)


def from_mapping(values: Mapping[str, Any], overrides: Sequence[str] = ()) -> LlmConfig:
    """As :func:`from_yaml`, of what has been read; members of OmegaConf's containers are taken as well.

    Raises:
        ValueError: as there.
    """
    tree = _plain(values)
    for one in overrides:
        _override(tree, one)
    config: LlmConfig = _value(LlmConfig, resolved(tree, LlmConfig()), "")
    return config


def _plain(values: Any) -> Any:
    if isinstance(values, Mapping) or type(values).__name__ == "DictConfig":
        return {str(key): _plain(values[key]) for key in values}
    if not isinstance(values, str) and (
        isinstance(values, Sequence) or type(values).__name__ == "ListConfig"
    ):
        return [_plain(one) for one in values]
    return values


def _override(tree: dict[str, Any], text: str) -> None:
    """One override: ``key=value``, ``+key=value`` and ``++key=value`` set it, ``~key`` takes its file's value away."""
    key, has_value, value = text.partition("=")
    removes = key.startswith("~")
    path = key.lstrip("+~").strip().split(".")
    if not all(path) or not (has_value or removes):
        raise RefusalError(
            f"cannot read the override '{text}': write group.key=value, as in +base.checkpoint=model.pth"
        )
    group = tree
    for name in path[:-1]:
        inner = group.setdefault(name, {})
        if inner is None:
            inner = group[name] = {}
        if not isinstance(inner, dict):
            raise RefusalError(f"cannot read the override '{text}': {name} is {inner!r}, no group")
        group = inner
    if removes:
        group.pop(path[-1], None)
    else:
        group[path[-1]] = _Text(value)


class _Text(str):
    """The value of an override, which is read as its field wants."""


def _value(kind: Any, value: Any, key: str) -> Any:
    """``value`` as a field of type ``kind`` has it."""
    origin = typing.get_origin(kind)
    if origin in (typing.Union, types.UnionType):
        return _optional(kind, value, key)
    if dataclasses.is_dataclass(kind):
        return _group(kind, value, key)
    if origin is list:
        (of,) = typing.get_args(kind)
        return [
            _value(of, one, f"{key}[{number}]")
            for number, one in enumerate(_read(value, list, "a list", key))
        ]
    return _scalar(kind, value, key)


def _optional(kind: Any, value: Any, key: str) -> Any:
    if value is None or (isinstance(value, _Text) and value.strip() in ("null", "None", "")):
        return None
    (inner,) = (one for one in typing.get_args(kind) if one is not type(None))
    return _value(inner, value, key)


def _group(kind: Any, value: Any, key: str) -> Any:
    given = _read({} if value is None else value, dict, "a group", key)
    hints = typing.get_type_hints(kind)
    names = [one.name for one in dataclasses.fields(kind)]
    prefix = f"{key}." if key else ""
    for name in given:
        if name not in names:
            raise RefusalError(f"there is no key {prefix}{name}; here are {', '.join(names)}")
    made = {name: _value(hints[name], one, prefix + name) for name, one in given.items()}
    try:
        return kind(**made)
    except TypeError as error:
        raise RefusalError(f"{key} is not complete: {error}") from error


def _read(value: Any, kind: type, what: str, key: str) -> Any:
    if isinstance(value, _Text):
        try:
            value = yaml.safe_load(_bare(value))
        except yaml.YAMLError as error:
            raise RefusalError(f"{key} is {what}, not '{value}': {error}") from error
    if not isinstance(value, kind):
        raise RefusalError(f"{key or 'the configuration'} is {what}, not {value!r}")
    return value


def _bare(text: str) -> str:
    """A text without the quotes around it, which a shell may have left."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("\\" + text[0], text[0])
    return text


def _scalar(kind: Any, value: Any, key: str) -> Any:
    if kind is str:
        if isinstance(value, dict | list):
            raise RefusalError(f"{key} is a text, not {value!r}: put quotes around it")
        return _bare(value) if isinstance(value, _Text) else str(value)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _member(kind, value, key)
    try:
        read = yaml.safe_load(_bare(value)) if isinstance(value, str) else value
    except yaml.YAMLError:
        read = value
    if kind is bool and isinstance(read, bool):
        return read
    if kind is int and isinstance(read, int) and not isinstance(read, bool):
        return read
    if kind is float and not isinstance(read, bool):
        try:
            return float(read)
        except (TypeError, ValueError):
            pass
    raise RefusalError(f"{key} is of type {kind.__name__}, and {value!r} is not")


def _member(kind: type[enum.Enum], value: Any, key: str) -> enum.Enum:
    wanted = value.name if isinstance(value, enum.Enum) else _bare(str(value))
    for one in kind:
        if wanted in (one.name, one.value):
            return one
    raise RefusalError(f"{key} is one of {', '.join(str(one.value) for one in kind)}, not {wanted}")
