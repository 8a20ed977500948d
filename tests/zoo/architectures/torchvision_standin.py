"""Lets `timm` be imported where torchvision cannot be.

The wheel of torchvision brings operators that are compiled for one build of torch; beside another one its import ends
with "operator torchvision::nms does not exist". The model code of `timm` needs none of them: it asks for the names of
data sets and image transformations while it is imported, and whether a layer is a frozen batch norm. So each name of
the stand-in is a class that nothing is an instance of, and that refuses to be made.
"""

from __future__ import annotations

import enum
import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

_NAME = "torchvision"


class _InterpolationMode(enum.Enum):
    """The members that `timm` lists in a table."""

    NEAREST = "nearest"
    BILINEAR = "bilinear"
    BICUBIC = "bicubic"
    BOX = "box"
    HAMMING = "hamming"
    LANCZOS = "lanczos"


class _Absent:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise ImportError(f"{type(self).__qualname__} of torchvision is only a name here")


class _Module(ModuleType):
    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "InterpolationMode":
            return _InterpolationMode
        absent = type(name, (_Absent,), {})
        setattr(self, name, absent)
        return absent


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] == _NAME:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def ensure_torchvision() -> bool:
    """Puts the stand-in into this process if torchvision cannot be imported; says whether torchvision is the real one."""
    try:
        return not isinstance(importlib.import_module(_NAME), _Module)
    except (ImportError, RuntimeError):
        for name in [name for name in sys.modules if name.partition(".")[0] == _NAME]:
            del sys.modules[name]
        sys.meta_path.insert(0, _Finder())
        return False


__all__ = ["ensure_torchvision"]
