"""Style as tests: ruff, mypy, clang-format and buildifier over every file of the repository.

Each test runs one pinned tool on the sources in its runfiles and fails with the tool's own words.
`./bazelw run //bazel/lint:fix` mends what the formatters can.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

_ROOT = pathlib.Path.cwd()
_PROGRAM = _ROOT / os.environ["LINT_PROGRAM"] if "LINT_PROGRAM" in os.environ else None
_CPP = {".cc", ".h", ".cpp", ".hpp", ".c"}
_SKIPPED_PARTS = {"external", "include_root", "__pycache__"}


def files(wanted: set[str]) -> list[str]:
    """Paths (from the root) of the sources with one of these suffixes or names."""
    found = []
    for directory, names, entries in os.walk(_ROOT):
        names[:] = [name for name in names if name not in _SKIPPED_PARTS and not name.endswith(".runfiles")]
        for entry in entries:
            if pathlib.Path(entry).suffix in wanted or entry in wanted:
                found.append(os.path.relpath(os.path.join(directory, entry), _ROOT))
    return sorted(found)


def check(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT)
    if done.returncode != 0:
        pytest.fail(f"{done.stdout}{done.stderr}\nTo mend: ./bazelw run //bazel/lint:fix", pytrace=False)


def test_ruff() -> None:
    python = files({".py"})
    assert len(python) > 10
    config = ["--config", "pyproject.toml", "--no-cache"]
    check([str(_PROGRAM), "check", *config, *python])
    check([str(_PROGRAM), "format", "--check", "--diff", *config, *python])


def test_mypy(tmp_path: pathlib.Path) -> None:
    # mypy does not run the import root's __path__; a directory of that name says the same.
    (tmp_path / "executorch").symlink_to(_ROOT)
    libraries = os.environ["LINT_LIBRARIES"].split()
    python = [f"executorch/{name}" for name in files({".py"}) if name.split("/")[0] in libraries]
    python = [
        name for name in python if not name.endswith(("_test.py", "_for_tests.py")) and "/test/" not in name
    ]
    assert len(python) > 10
    environment = {**os.environ, "MYPYPATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    flags = ["--config-file", str(_ROOT / "pyproject.toml"), "--cache-dir", os.devnull]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *flags, *python],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def test_clang_format() -> None:
    sources = files(_CPP)
    assert sources
    check([str(_PROGRAM), "--dry-run", "-Werror", "--style=file", *sources])


def test_buildifier() -> None:
    sources = files({".bzl", "BUILD.bazel", "MODULE.bazel"})
    assert sources
    check([str(_PROGRAM), "-mode=check", "-lint=off", *sources])
