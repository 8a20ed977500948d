"""The model converter of Arm's ML SDK: TOSA files to VGF, which holds SPIR-V and constants."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

_PROGRAM = "model-converter"


class ConverterError(RuntimeError):
    """The converter refuses the graph."""


def converter() -> Path:
    """The program: that on PATH, or that of the installed wheel.

    Raises:
        FileNotFoundError: there is none.
    """
    on_path = shutil.which(_PROGRAM)
    if on_path is not None:
        return Path(on_path)
    package = importlib.util.find_spec("model_converter")
    for folder in package.submodule_search_locations or () if package is not None else ():
        program = Path(folder) / "binaries" / "bin" / _PROGRAM
        if program.is_file():
            return program
    raise FileNotFoundError(
        f"lowering to VGF needs {_PROGRAM}, which is not on PATH: pip install ai-ml-sdk-model-converter"
    )


def vgf_compile(tosa: bytes, flags: Sequence[str], keep: str | None = None) -> bytes:
    """The VGF file for a TOSA file.

    Args:
        tosa: the file.
        flags: of the converter's command line.
        keep: a folder for both files, None for none.

    Raises:
        FileNotFoundError: the converter is not there.
        ConverterError: it refuses the graph; the message has its last words.
    """
    program = converter()
    with tempfile.TemporaryDirectory() as own:
        folder = Path(keep or own)
        folder.mkdir(parents=True, exist_ok=True)
        source, made = folder / "out.tosa", folder / "out.vgf"
        source.write_bytes(tosa)
        made.unlink(missing_ok=True)
        command = [str(program), *flags, "--input", str(source), "--output", str(made)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not made.is_file():
            raise ConverterError(
                f"{_PROGRAM} ends with {done.returncode}: {(done.stderr or done.stdout)[-500:]}. Way out: leave the operator that "
                "it names out of the delegate, with additional_checks of the partitioner"
            )
        return made.read_bytes()
