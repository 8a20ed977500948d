"""The program's bytes, and running them."""

from __future__ import annotations

import pathlib
from typing import Any

import torch
from torch.fx import GraphModule

from executorch.backends.test.harness.stages.stage import Stage, StageType
from executorch.exir import ExecutorchProgramManager
from executorch.runtime import Runtime


class Serialize(Stage):
    """Executable program to the bytes of a ``.pte`` file, which the runtime can run."""

    def __init__(self) -> None:
        self.buffer: bytes | None = None

    def stage_type(self) -> StageType:
        return StageType.SERIALIZE

    def run(self, artifact: ExecutorchProgramManager, inputs: Any = None) -> None:
        self.buffer = artifact.buffer

    @property
    def artifact(self) -> bytes:
        assert self.buffer is not None, "this stage has not run"
        return self.buffer

    @property
    def graph_module(self) -> GraphModule | None:
        return None

    def run_artifact(self, inputs: Any) -> Any:
        """What the runtime makes of ``inputs``: a list of outputs."""
        flat, _ = torch.utils._pytree.tree_flatten(tuple(inputs))
        method = Runtime.get().load_program(self.artifact).load_method("forward")
        return method.execute(flat)

    def dump_artifact(self, path_to_dump: str | None) -> None:
        """Writes the ``.pte`` file.

        Raises:
            ValueError: there is no path.
        """
        if not path_to_dump:
            raise ValueError("a program is bytes: say where to write it")
        pathlib.Path(path_to_dump).write_bytes(self.artifact)
