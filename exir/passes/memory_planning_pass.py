"""Documented path of :class:`executorch.memory_planning.MemoryPlanningPass`."""

from executorch.memory_planning import MemoryPlanningPass

__all__ = [
    "MemoryPlanningPass",
]
