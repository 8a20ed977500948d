"""From the trained network to the bytes of a ``.pte`` file."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from executorch.exir import to_edge
from executorch.memory_planning.report import memory_report


@dataclass(frozen=True)
class Exported:
    """A program and how well its memory was planned.

    Attributes:
        pte: contents of the file.
        planned_bytes: memory that the runtime sets aside for tensors.
        lower_bound_bytes: the least that any plan of the same tensors could need.
    """

    pte: bytes
    planned_bytes: int
    lower_bound_bytes: int


def export(model: torch.nn.Module, sample: torch.Tensor) -> Exported:
    """Compiles ``model`` for inputs with the shape of ``sample``."""
    captured = torch.export.export(model, (sample,))
    program = to_edge(captured).to_executorch()
    planned = program.exported_program()
    report = memory_report(planned.graph_module, planned.graph_signature)
    return Exported(bytes(program.buffer), report.planned_bytes, report.lower_bound_bytes)
