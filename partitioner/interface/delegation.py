"""What a backend vendor implements to choose nodes: ``Partitioner`` and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram

from executorch.dialects.torch_types import OpOverload
from executorch.partitioner.interface.compile_spec import CompileSpec


class DelegationSpec(NamedTuple):
    """Where a partition goes: the backend's name and the options for it."""

    backend_id: str
    compile_specs: list[CompileSpec]


@dataclass
class PartitionResult:
    """A program whose nodes carry tags, and what each tag means.

    Attributes:
        tagged_exported_program: the program that was given, the same but for ``meta["delegation_tag"]``.
        partition_tags: tag -> backend and options. Nodes of one tag become one delegate.
    """

    tagged_exported_program: ExportedProgram
    partition_tags: dict[str, DelegationSpec]


class Partitioner(ABC):
    """Chooses the nodes of an edge program that a backend takes.

    Args:
        spec: options of the subclass, kept read-only.
    """

    def __init__(self, spec: Mapping[Any, Any] = MappingProxyType({})) -> None:
        self._spec = spec

    def __call__(self, exported_program: ExportedProgram) -> PartitionResult:
        return self.partition(exported_program)

    @property
    def spec(self) -> Mapping[Any, Any]:
        return self._spec

    @abstractmethod
    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags nodes: ``node.meta["delegation_tag"] = tag``, and changes nothing else.

        Nodes of one tag must be convex (no path from the tag's nodes back to them through others). A constant
        (parameter, buffer, lifted tensor) may be tagged too and then moves into the delegate, see
        ``tag_constant_data``. Submodules of control flow may be tagged in the same way.
        """

    def transform_for_pre_decomposition(self, exported_program: ExportedProgram) -> ExportedProgram:
        """The ATen program that ``to_edge_transform_and_lower`` decomposes in place of ``exported_program``.

        For rewrites that need operators as the user wrote them. With several partitioners each receives what
        the one before it returned. By default nothing is rewritten.
        """
        return exported_program

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[torch.fx.Node], bool] | None]:
        """ATen operators that ``to_edge_transform_and_lower`` leaves whole for this partitioner.

        Returns:
            the operators, and a filter that a node of one of them must pass to be kept (None: all pass).
        """
        return [], None
