"""The schema of TOSA files as a resource of this package, ``tosa_1.0.fbs``. It is that of the installed tosa-tools: none is kept here."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

_SCHEMAS = {"tosa_1.0.fbs": "bin/tosa.fbs"}


class _Schemas:
    """The folder that ``importlib.resources.files`` of this package is."""

    name = "schemas"

    def iterdir(self) -> Iterator[Path]:
        return (self.joinpath(one) for one in _SCHEMAS)

    def is_dir(self) -> bool:
        return True

    def is_file(self) -> bool:
        return False

    def joinpath(self, *names: str) -> Path:
        """The file.

        Raises:
            FileNotFoundError: there is no such schema, or no tosa-tools.
        """
        if len(names) != 1 or names[0] not in _SCHEMAS:
            raise FileNotFoundError(f"no schema {'/'.join(names)}; there is {', '.join(_SCHEMAS)}")
        try:
            distribution = importlib.metadata.distribution("tosa-tools")
        except importlib.metadata.PackageNotFoundError:
            raise FileNotFoundError("TOSA's schema comes with tosa-tools: pip install tosa-tools") from None
        return Path(str(distribution.locate_file(_SCHEMAS[names[0]])))

    __truediv__ = joinpath


class _Resources:
    """The package's loader where its resources are asked for."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def get_resource_reader(self, fullname: str) -> _Resources:
        return self

    def files(self) -> _Schemas:
        return _Schemas()


def _announce(spec: ModuleSpec) -> None:
    spec.loader = _Resources(spec.loader)  # type: ignore[assignment]


if __spec__ is not None:
    _announce(__spec__)
