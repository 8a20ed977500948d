"""Memory planning: lifetimes of values, places in a few arenas, proof and inspection of the plan."""

from executorch.memory_planning.algorithms import MemoryAlgoResult, SpecAllocResult, greedy, naive
from executorch.memory_planning.checker import check_plan
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.lower_bound import lower_bound
from executorch.memory_planning.memory_planning_pass import BUFFER_SIZES, MemoryPlanningPass
from executorch.memory_planning.packing import best_of_packings
from executorch.memory_planning.report import MemoryReport, memory_report
from executorch.memory_planning.suite import MemoryPlanningAlgorithmSuite
from executorch.memory_planning.timeline import Timeline, build_timeline, update_all_tensors_lifetime
from executorch.memory_planning.verifier import Verifier

__all__ = [
    "BUFFER_SIZES",
    "MemoryAlgoResult",
    "MemoryPlanningAlgorithmSuite",
    "MemoryPlanningError",
    "MemoryPlanningPass",
    "MemoryReport",
    "SpecAllocResult",
    "Timeline",
    "Verifier",
    "best_of_packings",
    "build_timeline",
    "check_plan",
    "greedy",
    "lower_bound",
    "memory_report",
    "naive",
    "update_all_tensors_lifetime",
]
