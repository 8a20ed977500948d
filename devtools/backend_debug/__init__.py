"""What was delegated, how much of the work that is, and why the rest was not; the code is :mod:`executorch.partitioner`'s."""

from executorch.devtools.backend_debug.delegation_info import (
    DelegationBreakdown,
    DelegationInfo,
    get_delegation_info,
    print_delegation_info,
)
from executorch.partitioner import format_reasons, get_reasons, print_reasons
from executorch.partitioner.inspection.work import Outside, Work, get_work

__all__ = [
    "DelegationBreakdown",
    "DelegationInfo",
    "Outside",
    "Work",
    "format_reasons",
    "get_delegation_info",
    "get_reasons",
    "get_work",
    "print_delegation_info",
    "print_reasons",
]
