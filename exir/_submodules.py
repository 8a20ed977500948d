"""Rooms of a package as its attributes, imported when somebody asks.

Published code writes ``from executorch import exir`` and then ``exir.memory.alloc`` or ``exir.dialects._ops.ops``. Here
importing the package imports none of its documented paths, so that it stays cheap.
"""

import importlib
from collections.abc import Callable
from types import ModuleType


def submodule_getter(package: str, names: str) -> Callable[[str], ModuleType]:
    """A ``__getattr__`` for ``package``.

    Args:
        package: full name.
        names: its modules, separated by spaces.

    Returns:
        a function that imports the module of the given name, and raises ``AttributeError`` for any other name.
    """
    known = frozenset(names.split())

    def getter(name: str) -> ModuleType:
        if name in known:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return getter


__all__ = ["submodule_getter"]
