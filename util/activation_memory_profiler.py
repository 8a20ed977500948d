"""Documented path of :mod:`executorch.memory_planning.trace`: the memory plan as a Chrome trace."""

from executorch.memory_planning import (
    Allocation,
    MemoryTimeline,
    create_tensor_allocation_info,
    generate_memory_trace,
)

__all__ = ["Allocation", "MemoryTimeline", "create_tensor_allocation_info", "generate_memory_trace"]
