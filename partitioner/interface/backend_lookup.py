"""Finds an ahead-of-time backend by its name.

A backend becomes known in three ways, tried in this order:

1. its class was defined (deriving from ``BackendDetails`` registers the class under its own name);
2. ``register_backend(cls, name=...)`` gave it another name;
3. an installed package announces it through an entry point of the group ``executorch.backends``
   (``XnnpackBackend = "executorch.backends.xnnpack.xnnpack_preprocess:XnnpackBackend"``), which is loaded on
   the first request, so that nobody has to import the backend beforehand.
"""

from __future__ import annotations

import importlib.metadata

from executorch.partitioner.interface.backend_details import BackendDetails
from executorch.partitioner.interface.backend_registry import backends, register_backend
from executorch.partitioner.interface.errors import BackendNotFoundError

ENTRY_POINT_GROUP = "executorch.backends"


def _announced() -> dict[str, importlib.metadata.EntryPoint]:
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP)}


def registered_backends() -> list[str]:
    """Names of all backends that ``find_backend`` would find, sorted."""
    return sorted(backends.keys() | _announced().keys())


def find_backend(backend_id: str) -> type[BackendDetails]:
    """The backend class of this name.

    Raises:
        BackendNotFoundError: (a ``NotImplementedError``) when there is none; lists those that there are.
    """
    if backend_id not in backends:
        entry = _announced().get(backend_id)
        if entry is not None:
            register_backend(entry.load(), backend_id)
    if backend_id not in backends:
        known = ", ".join(registered_backends()) or "none"
        raise BackendNotFoundError(
            f"Backend {backend_id} was not found. Known backends: {known}. "
            f"Way out: import the module that defines class {backend_id}(BackendDetails), or install the "
            f"package that announces it (entry point group {ENTRY_POINT_GROUP!r})."
        )
    return backends[backend_id]


__all__ = ["ENTRY_POINT_GROUP", "find_backend", "register_backend", "registered_backends"]
