"""Directories in a row of bytes, under the name that published tools import them by."""

from __future__ import annotations

from pathlib import Path

from executorch.backends.apple.coreml.compiler.package import flatten, unflatten, write_files
from executorch.dialects.errors import ExportError


def flatten_directory_contents(path: str) -> bytes | None:
    """The files below a directory as a delegate holds them; None where there is none."""
    directory = Path(path)
    return flatten(directory) if directory.is_dir() else None


def unflatten_directory_contents(bytes: bytes, path: str) -> bool:
    """Writes the files of a delegate below a directory, and says whether the bytes are of one."""
    try:
        write_files(unflatten(bytes), Path(path))
    except (ExportError, OSError):
        return False
    return True
