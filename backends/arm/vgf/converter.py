"""The model converter of Arm's ML SDK: TOSA files to VGF, which holds SPIR-V and constants."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from executorch.backends.arm.vgf.model_converter import PROGRAM, require_model_converter_binary


class ConverterError(RuntimeError):
    """The converter refuses the graph."""


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
    program = require_model_converter_binary()
    with tempfile.TemporaryDirectory() as own:
        folder = Path(keep or own)
        folder.mkdir(parents=True, exist_ok=True)
        source, made = folder / "out.tosa", folder / "out.vgf"
        source.write_bytes(tosa)
        made.unlink(missing_ok=True)
        command = [program, *flags, "--input", str(source), "--output", str(made)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0 or not made.is_file():
            raise ConverterError(
                f"{PROGRAM} ends with {done.returncode}: {(done.stderr or done.stdout)[-500:]}. Way out: leave the operator that "
                "it names out of the delegate, with additional_checks of the partitioner"
            )
        return made.read_bytes()
