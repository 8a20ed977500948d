"""What all steps have in common."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from typing import Any

from torch.fx import GraphModule


class StageType(enum.Enum):
    """The steps that a :class:`~executorch.backends.test.harness.Tester` knows."""

    QUANTIZE = 0
    EXPORT = 1
    RUN_PASSES = 2
    TO_EDGE = 3
    TO_EDGE_TRANSFORM_AND_LOWER = 4
    PARTITION = 5
    TO_EXECUTORCH = 6
    SERIALIZE = 7
    INITIAL_MODEL = 8


class Stage(ABC):
    """One step: takes what the step before made, keeps what it makes of that."""

    @abstractmethod
    def stage_type(self) -> StageType:
        """Which step this is."""

    @abstractmethod
    def run(self, artifact: Any, inputs: Any) -> None:
        """Does the step.

        Args:
            artifact: what the step before made.
            inputs: example inputs of the model.
        """

    @property
    @abstractmethod
    def artifact(self) -> Any:
        """What the step made."""

    @property
    @abstractmethod
    def graph_module(self) -> GraphModule | None:
        """The graph of what the step made; None for bytes."""

    def run_artifact(self, inputs: Any) -> Any:
        """Calls what the step made with ``inputs``, a tuple."""
        artifact = self.artifact
        program = artifact.exported_program() if hasattr(artifact, "exported_program") else artifact
        return program.module()(*inputs)

    def artifact_str(self) -> str:
        """The text that checks look into: the graph as code.

        Raises:
            NotImplementedError: the artifact has no graph.
        """
        if self.graph_module is None:
            raise NotImplementedError(f"{type(self).__name__} makes bytes; check an earlier stage")
        return str(self.graph_module.code)

    def stage_banner(self) -> str:
        """A line that names the stage, above what is dumped."""
        return "#" * 36 + " " + type(self).__name__ + " " + "#" * 36 + "\n"

    def dump_artifact(self, path_to_dump: str | None) -> None:
        """Writes the artifact's text to a file, or prints it if there is no path."""
        text = self.stage_banner() + self.artifact_str()
        if path_to_dump:
            with open(path_to_dump, "a") as file:
                file.write(text + "\n")
        else:
            print(text)
