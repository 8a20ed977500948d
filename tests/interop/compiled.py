"""Specimens as files of this project."""

from __future__ import annotations

from dataclasses import dataclass

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, to_edge, to_edge_transform_and_lower
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


def lower_specimen(specimen: Specimen) -> EdgeProgramManager:
    """Lowers a specimen with the defaults of the front door."""
    constants = dict(specimen.constant_methods)
    if specimen.is_delegated:
        return to_edge_transform_and_lower(
            specimen.exported(), partitioner=[XnnpackPartitioner()], constant_methods=constants
        )
    return to_edge(specimen.exported(), constant_methods=constants)


def compile_specimen(specimen: Specimen) -> Files:
    """The files of a specimen, lowered with the defaults of the front door."""
    edge = lower_specimen(specimen)
    manager = edge.to_executorch(ExecutorchBackendConfig(external_constants=specimen.is_external))
    return Files(manager.buffer, manager.data_files)
