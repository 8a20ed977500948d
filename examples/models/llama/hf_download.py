"""Weights of a repository on Hugging Face as a file by Meta's names, for published programs that fetch their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from executorch.extension.llm.export.hub import fetch


def download_and_convert_hf_checkpoint(repo_id: str, convert_weights: Callable[[str, str], None]) -> str:
    """The converted file; what was converted before is not again.

    Args:
        repo_id: as in ``Qwen/Qwen3-0.6B``.
        convert_weights: of a directory, to the file that it writes, as ``examples.models.qwen3.convert_weights`` has it.

    Raises:
        ValueError: the repository cannot be had.
    """
    directory = fetch(repo_id)
    # In the cache a revision is a directory of its own.
    file = _cache() / f"{repo_id.replace('/', '_')}_{directory.name}.pth"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: a file that is half written would be taken next time.
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            staged = str(Path(folder) / file.name)
            convert_weights(str(directory), staged)
            os.replace(staged, file)
    return str(file)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "executorch" / "checkpoints"
