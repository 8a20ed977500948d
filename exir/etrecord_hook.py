"""Lets the entry points keep a record for the inspector, although its format belongs to the devtools above.

``executorch.devtools.etrecord`` registers its ``ETRecord`` class here. Asking for a record imports that module by
name, so that nobody has to; a compiler that is installed without the devtools says what is missing.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from executorch.dialects.errors import ExportError, ExportErrorType

_PROVIDER = "executorch.devtools.etrecord"


class Record(Protocol):
    """What the entry points tell a record; the documented methods of ``ETRecord``."""

    def add_exported_program(self, exported_program: Any) -> None:
        """The captured program, or a mapping of method name to program."""

    def add_edge_dialect_program(self, edge_dialect_program: Any) -> None:
        """The manager of the edge programs before anything was delegated."""

    def add_extra_export_modules(self, extra_recorded_export_modules: "Mapping[str, Any]") -> None:
        """Further managers by name."""

    def add_executorch_program(self, executorch_program: Any) -> None:
        """The manager of the executable program."""

    def copy(self) -> "Record":
        """A record with the same content, for a manager that goes on differently."""


_record_type: "Callable[[], Record] | None" = None


def register_record_type(record_type: "Callable[[], Record] | None") -> None:
    """Makes ``record_type()`` what ``generate_etrecord=True`` fills; None forgets it."""
    global _record_type
    _record_type = record_type


def new_record() -> Record:
    """An empty record.

    Raises:
        ExportError: the devtools are not installed.
    """
    if _record_type is None:
        try:
            provider = importlib.import_module(_PROVIDER)
        except ImportError as error:
            raise ExportError(
                ExportErrorType.UNINITIALIZED,
                f"a record for the inspector needs {_PROVIDER}: {error}\nWay out: install executorch-devtools, or leave "
                "generate_etrecord out; debug handles are in the program all the same",
            ) from error
        return provider.ETRecord()  # type: ignore[no-any-return]
    return _record_type()


__all__ = ["Record", "new_record", "register_record_type"]
