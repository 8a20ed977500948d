"""Lowering to the Edge dialect and to backends in one step."""

from __future__ import annotations

from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import EdgeCompileConfig, EdgeProgramManager, to_edge_transform_and_lower
from executorch.exir.backend.partitioner import Partitioner


class ToEdgeTransformAndLower(Stage):
    """ATen program to edge program with delegates.

    Args:
        default_partitioner_cls: makes the partitioner if none is given.
        partitioners: choose what is delegated, in order.
        edge_compile_config: of ``to_edge_transform_and_lower``.
    """

    def __init__(
        self,
        default_partitioner_cls: type[Partitioner] | None = None,
        partitioners: list[Partitioner] | None = None,
        edge_compile_config: EdgeCompileConfig | None = None,
    ) -> None:
        made = [default_partitioner_cls()] if default_partitioner_cls is not None else []  # type: ignore[call-arg]
        self.partitioners = made if partitioners is None else partitioners
        self.edge_compile_conf = edge_compile_config or EdgeCompileConfig()
        self.edge_dialect_program: EdgeProgramManager | None = None

    def stage_type(self) -> StageType:
        return StageType.TO_EDGE_TRANSFORM_AND_LOWER

    def run(self, artifact: ExportedProgram, inputs: Any = None, generate_etrecord: bool = False) -> None:
        self.edge_dialect_program = to_edge_transform_and_lower(
            artifact,
            partitioner=self.partitioners,
            compile_config=self.edge_compile_conf,
            generate_etrecord=generate_etrecord,
        )

    @property
    def artifact(self) -> EdgeProgramManager:
        assert self.edge_dialect_program is not None, "this stage has not run"
        return self.edge_dialect_program

    @property
    def graph_module(self) -> GraphModule:
        return self.artifact.exported_program().graph_module
