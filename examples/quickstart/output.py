"""Where an example leaves its files."""

from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def output_directory(wanted: str | None) -> Iterator[pathlib.Path]:
    """Where files go: the directory asked for (from where the user stands, also under Bazel), or a passing one."""
    if wanted is None:
        with tempfile.TemporaryDirectory() as passing:
            yield pathlib.Path(passing)
        return
    directory = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), wanted).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    yield directory
