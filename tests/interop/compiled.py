"""Specimens as files of this project."""

from __future__ import annotations

from dataclasses import dataclass

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.tests.interop.programs import Specimen


@dataclass(frozen=True)
class Files:
    """The files of a program.

    Attributes:
        pte: the program.
        ptd: name without suffix -> data outside the program.
    """

    pte: bytes
    ptd: dict[str, bytes]


def compile_specimen(specimen: Specimen) -> Files:
    """Lowers a specimen with the defaults of the front door."""
    edge = to_edge(specimen.exported(), constant_methods=dict(specimen.constant_methods))
    manager = edge.to_executorch(ExecutorchBackendConfig(external_constants=specimen.is_external))
    return Files(manager.buffer, manager.data_files)
