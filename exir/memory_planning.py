"""Documented path of :mod:`executorch.memory_planning`."""

from executorch.memory_planning import (
    MemoryAlgoResult,
    MemoryPlanningAlgorithmSuite,
    MemoryPlanningError,
    MemoryPlanningPass,
    SpecAllocResult,
    greedy,
    naive,
    update_all_tensors_lifetime,
)

__all__ = [
    "MemoryAlgoResult",
    "MemoryPlanningAlgorithmSuite",
    "MemoryPlanningError",
    "MemoryPlanningPass",
    "SpecAllocResult",
    "greedy",
    "naive",
    "update_all_tensors_lifetime",
]
