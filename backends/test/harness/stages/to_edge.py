"""Lowering to the Edge dialect."""

from __future__ import annotations

from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, to_edge


class ToEdge(Stage):
    """ATen program to edge program.

    Args:
        edge_compile_config: of ``to_edge``; its default if None.
    """

    def __init__(self, edge_compile_config: EdgeCompileConfig | None = None) -> None:
        self.edge_compile_conf = edge_compile_config or EdgeCompileConfig()
        self.edge_dialect_program: EdgeProgramManager | None = None

    def stage_type(self) -> StageType:
        return StageType.TO_EDGE

    def run(self, artifact: ExportedProgram, inputs: Any = None) -> None:
        self.edge_dialect_program = to_edge(artifact, compile_config=self.edge_compile_conf)

    @property
    def artifact(self) -> EdgeProgramManager:
        assert self.edge_dialect_program is not None, "this stage has not run"
        return self.edge_dialect_program

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact.exported_program().graph_module
