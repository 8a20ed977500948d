"""Capture by ``torch.export``."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram, export
from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType


class Export(Stage):
    """Module to ATen program.

    Args:
        dynamic_shapes: as for ``torch.export.export``.
    """

    def __init__(self, dynamic_shapes: Any = None) -> None:
        self.dynamic_shapes = dynamic_shapes
        self.exported_program: ExportedProgram | None = None

    def stage_type(self) -> StageType:
        return StageType.EXPORT

    def run(self, artifact: torch.nn.Module, inputs: tuple[Any, ...]) -> None:
        with torch.no_grad():
            self.exported_program = export(artifact, inputs, dynamic_shapes=self.dynamic_shapes, strict=True)

    @property
    def artifact(self) -> ExportedProgram:
        assert self.exported_program is not None, "this stage has not run"
        return self.exported_program

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact.graph_module

    def run_artifact(self, inputs: Any) -> Any:
        return self.artifact.module()(*inputs)
