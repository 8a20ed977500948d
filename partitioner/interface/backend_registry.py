"""The ahead-of-time backends that are known, by name. ``backend_lookup`` finds those that are not known yet, too."""

from __future__ import annotations

import logging
from typing import TypeVar

_log = logging.getLogger(__name__)
#: Name -> class, a ``BackendDetails``.
backends: dict[str, type] = {}

_Backend = TypeVar("_Backend", bound=type)


def _origin(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def register_backend(cls: _Backend, name: str | None = None) -> _Backend:
    """Makes ``cls`` known under ``name`` (its class name by default). The newest class of a name wins."""
    key = name or cls.__name__
    known = backends.get(key)
    if known is not None and _origin(known) != _origin(cls):
        _log.warning("backend %r: %s takes the place of %s", key, _origin(cls), _origin(known))
    backends[key] = cls
    return cls
