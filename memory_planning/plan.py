"""A memory plan: the place of each value, and the sizes of the memories."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from torch.export.graph_signature import ExportGraphSignature
from torch.fx import GraphModule

from executorch.dialects.tensor_spec import TensorSpec

DEFAULT_MEM_ID = 1


@dataclass
class SpecAllocResult:
    """Place of one value: memory, number of the location within the plan, offset in bytes."""

    mem_id: int
    mem_obj_id: int
    mem_offset: int


@dataclass
class MemoryAlgoResult:
    """A plan.

    Attributes:
        spec_dict: the place of each value.
        bufsizes: size in bytes of each memory, by id; entry 0 is reserved and 0. Memory 1 always exists.
    """

    spec_dict: dict[TensorSpec, SpecAllocResult] = field(default_factory=dict)
    bufsizes: list[int] = field(default_factory=lambda: [0, 0])


MemoryAlgorithm = Callable[
    [int, Collection[TensorSpec], GraphModule, "ExportGraphSignature | None", int], MemoryAlgoResult
]
