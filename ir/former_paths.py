"""Modules under the paths that they had before a package was divided into folders."""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType
from typing import Any


class _Same(Loader):
    """Loads nothing: the module is there under another name."""

    def __init__(self, name: str) -> None:
        self._module = importlib.import_module(name)
        self._spec = self._module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec  # the import system has put the former path's in its place


class _Finder(MetaPathFinder):
    def __init__(self, package: str, folders: Sequence[str]) -> None:
        self._package, self._folders = package, folders

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> "ModuleSpec | None":
        package, _, module = fullname.rpartition(".")
        if package != self._package or module in self._folders:
            return None
        for folder in self._folders:
            name = f"{package}.{folder}.{module}"
            if find_spec(f"{package}.{folder}") is not None and find_spec(name) is not None:
                return spec_from_loader(fullname, _Same(name))
        return None


def keep_former_paths(package: str, folders: Sequence[str]) -> None:
    """Lets ``PACKAGE.MODULE`` be imported where ``PACKAGE.FOLDER.MODULE`` is meant; both are one module.

    Args:
        package: its full name.
        folders: right below it; no module of theirs has the name of a folder, or of a module in another.
    """
    sys.meta_path.append(_Finder(package, folders))


__all__ = ["keep_former_paths"]
