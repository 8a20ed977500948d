"""Graph passes over a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.export import ExportedProgram
from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import EdgeProgramManager


class RunPasses(Stage):
    """Program to the same kind of program.

    Args:
        pass_manager_cls: made with a program and a list of pass classes; its ``transform()`` gives the program.
        pass_list: pass classes; the pass manager decides what None means.
        pass_functions: from program to program, afterwards; may change their argument and return None.
    """

    def __init__(
        self,
        pass_manager_cls: Callable[..., Any],
        pass_list: Sequence[Any] | None = None,
        pass_functions: Sequence[Callable[..., Any]] | None = None,
    ) -> None:
        self.pass_manager_cls = pass_manager_cls
        self.pass_list = pass_list
        self.pass_functions = pass_functions
        self.edge_or_aten_program: EdgeProgramManager | ExportedProgram | None = None

    def stage_type(self) -> StageType:
        return StageType.RUN_PASSES

    def run(self, artifact: EdgeProgramManager | ExportedProgram, inputs: Any = None) -> None:
        if isinstance(artifact, ExportedProgram):
            self.edge_or_aten_program = self._passed(artifact)
            return
        program = self._passed(artifact.exported_program())
        self.edge_or_aten_program = EdgeProgramManager(
            {
                name: program if name == "forward" else artifact.exported_program(name)
                for name in artifact.methods
            },
            compile_config=artifact.compile_config,
        )

    def _passed(self, program: ExportedProgram) -> ExportedProgram:
        if self.pass_list is not None or self.pass_functions is None:
            program = self.pass_manager_cls(program, self.pass_list).transform()
        for function in self.pass_functions or ():
            changed = function(program)
            program = program if changed is None else changed
        return program

    @property
    def artifact(self) -> EdgeProgramManager | ExportedProgram:
        assert self.edge_or_aten_program is not None, "this stage has not run"
        return self.edge_or_aten_program

    @property
    def graph_module(self) -> GraphModule:
        found = self.artifact
        program = found if isinstance(found, ExportedProgram) else found.exported_program()
        return program.graph_module

    def run_artifact(self, inputs: Any) -> Any:
        found = self.artifact
        program = found if isinstance(found, ExportedProgram) else found.exported_program()
        return program.module()(*inputs)
