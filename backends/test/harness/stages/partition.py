"""Delegation of an edge program."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import EdgeProgramManager
from executorch.exir.backend.backend_api import validation_disabled
from executorch.exir.backend.partitioner import Partitioner


class Partition(Stage):
    """Edge program to edge program with delegates.

    Args:
        partitioner: chooses what is delegated.
    """

    def __init__(self, partitioner: Partitioner) -> None:
        self.partitioner = partitioner
        self.delegate_module: EdgeProgramManager | None = None

    def stage_type(self) -> StageType:
        return StageType.PARTITION

    def run(self, artifact: EdgeProgramManager, inputs: Any = None) -> None:
        with validation_disabled():
            self.delegate_module = artifact.to_backend(self.partitioner)

    @property
    def artifact(self) -> EdgeProgramManager:
        assert self.delegate_module is not None, "this stage has not run"
        return self.delegate_module

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact.exported_program().graph_module
