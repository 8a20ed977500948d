"""Documented path of :mod:`executorch.memory_planning.banked`."""

from executorch.dialects.tensor_spec import ALIGNMENT
from executorch.memory_planning.banked import (
    Bank,
    BankedGreedy,
    BankPlacementError,
    TargetMemoryMap,
    banked_memory_planning_pass,
    format_placement_report,
    planned_mem_ids,
)

__all__ = [
    "ALIGNMENT",
    "Bank",
    "BankPlacementError",
    "BankedGreedy",
    "TargetMemoryMap",
    "banked_memory_planning_pass",
    "format_placement_report",
    "planned_mem_ids",
]
