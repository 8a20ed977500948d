"""GGUF files for tests, written with the package gguf."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator
from typing import Any

import gguf


@contextlib.contextmanager
def gguf_file(path: str | pathlib.Path, architecture: str, **fields: Any) -> Iterator[gguf.GGUFWriter]:
    """A writer that takes tensors, and writes the file at the end of the block.

    Args:
        path: of the file.
        architecture: as llama.cpp calls it.
        **fields: what the writer's ``add_...`` functions get.
    """
    writer = gguf.GGUFWriter(path, architecture)
    for name, value in fields.items():
        getattr(writer, f"add_{name}")(value)
    yield writer
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
