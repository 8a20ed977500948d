"""Where the published ExecuTorch package lies, to compare with it in a process of its own.

It shares its import name with this repository, so it never enters this process: programs of the peer run with
``search_path()`` as their whole PYTHONPATH.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys


def search_path() -> str | None:
    """PYTHONPATH of the published package and what it imports, or None if it is not at hand.

    Within Bazel it is ``//third-party:published``; elsewhere the environment's ``PUBLISHED_PATH`` names the
    directories (the ``site-packages`` of an environment with the package).
    """
    if os.environ.get("PUBLISHED_PATH"):
        return os.environ["PUBLISHED_PATH"]
    here = pathlib.Path(__file__).absolute()
    listed = here.with_name("published_paths.txt")
    if not listed.exists():
        return None
    runfiles = here.parents[2]
    return os.pathsep.join(str(runfiles / line) for line in listed.read_text().split())


def run(
    code: str, *arguments: str, path: str | None = None, timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Runs Python code with the published package importable as ``executorch``; checks nothing.

    Raises:
        FileNotFoundError: The package is not at hand.
    """
    path = path or search_path()
    if path is None:
        raise FileNotFoundError("the published package is not here: set PUBLISHED_PATH to its site-packages")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["PYTHONPATH"] = path
    command = [sys.executable, "-S", "-c", code, *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
