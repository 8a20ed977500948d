"""Lowering to the program."""

from __future__ import annotations

from typing import Any

from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import EdgeProgramManager, ExecutorchBackendConfig, ExecutorchProgramManager


class ToExecutorch(Stage):
    """Edge program to executable program.

    Args:
        config: of ``to_executorch``; by default delegates have segments of their own.
    """

    def __init__(self, config: ExecutorchBackendConfig | None = None) -> None:
        self.config = config or ExecutorchBackendConfig(extract_delegate_segments=True)
        self.executorch_program: ExecutorchProgramManager | None = None

    def stage_type(self) -> StageType:
        return StageType.TO_EXECUTORCH

    def run(self, artifact: EdgeProgramManager, inputs: Any = None) -> None:
        self.executorch_program = artifact.to_executorch(self.config)

    @property
    def artifact(self) -> ExecutorchProgramManager:
        assert self.executorch_program is not None, "this stage has not run"
        return self.executorch_program

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact.exported_program().graph_module
