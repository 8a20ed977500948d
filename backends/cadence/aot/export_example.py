"""Quantizes an example and writes its program, as the documented commands do."""

from __future__ import annotations

import logging
import pathlib
import tempfile
from typing import Any, Final

import torch

from executorch.backends.cadence.aot.compiler import quantize_and_export_to_cadence
from executorch.exir import ExecutorchProgramManager

_LOG: Final = logging.getLogger(__name__)


def export_model(
    model: torch.nn.Module,
    example_inputs: tuple[Any, ...],
    file_name: str = "CadenceDemoModel",
    working_dir: str | None = None,
) -> ExecutorchProgramManager:
    """Quantizes a model, calibrated with ``example_inputs`` alone, and lowers it.

    Args:
        model: for inference.
        example_inputs: of one call.
        file_name: of the program, without ``.pte``.
        working_dir: where it goes; a new folder for temporary files by default, which is logged.
    """
    program = quantize_and_export_to_cadence(model, example_inputs).to_executorch()
    folder = pathlib.Path(working_dir or tempfile.mkdtemp(prefix="cadence_"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_name}.pte"
    path.write_bytes(program.buffer)
    _LOG.info("Wrote %s", path)
    return program
