"""Where the model converter of Arm's ML SDK is, and which version."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path

#: Numbers of a version, from the most to the least important.
Version = tuple[int, ...]

PROGRAM = "model-converter"

#: The oldest one that all of VGF's tests run with.
MIN_MODEL_CONVERTER_VERSION_FOR_VGF_TESTS: Version = (0, 10, 0)


def find_model_converter_binary() -> str | None:
    """The path of the program: that on PATH, or that of the installed wheel; None if there is none."""
    on_path = shutil.which(PROGRAM)
    if on_path is not None:
        return on_path
    package = importlib.util.find_spec("model_converter")
    for folder in package.submodule_search_locations or () if package is not None else ():
        program = Path(folder) / "binaries" / "bin" / PROGRAM
        if program.is_file():
            return str(program)
    return None


def require_model_converter_binary() -> str:
    """The path of the program.

    Raises:
        FileNotFoundError: there is none.
    """
    found = find_model_converter_binary()
    if found is None:
        raise FileNotFoundError(
            f"lowering to VGF needs {PROGRAM}, which is not on PATH: pip install ai-ml-sdk-model-converter"
        )
    return found


def model_converter_env() -> dict[str, str]:
    """The environment to run it in: this process's own; its libraries lie beside it."""
    return dict(os.environ)


def get_model_converter_version_text() -> str | None:
    """What it says about its version; None if it is not there or does not run."""
    program = find_model_converter_binary()
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True, env=model_converter_env()
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return (done.stdout or done.stderr).strip()


def parse_model_converter_version(version_text: str) -> Version | None:
    """The first version that a text names, None if it names none."""
    found = re.search(r"\d+\.\d+(?:\.\d+)*", version_text)
    return None if found is None else tuple(map(int, found[0].split(".")))


def get_model_converter_minimum_version_failure_reason(
    version_text: str, minimum_version: Version, *, requirement_name: str
) -> str | None:
    """Why a version does not do, None if it does."""
    version = parse_model_converter_version(version_text)
    needs = f"{requirement_name} needs {PROGRAM} {'.'.join(map(str, minimum_version))}"
    if version is None:
        return f"{needs}; it says {version_text!r} of itself"
    if version < minimum_version:
        return f"{needs}; there is {'.'.join(map(str, version))}"
    return None
