"""Where the bytes of a program come from, as an object of its own."""

from __future__ import annotations

import os
from typing import BinaryIO


class PyDataLoader:
    """A source of a program for :func:`.portable_lib._load_for_executorch_from_data_loader`.

    Args:
        source: A path, the bytes themselves, or a binary file to read them from.
    """

    def __init__(self, source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO) -> None:
        self.source = source

    def __repr__(self) -> str:
        return f"PyDataLoader({type(self.source).__name__})"


__all__ = ["PyDataLoader"]
