"""What was delegated, and why the rest was not; the code is :mod:`executorch.partitioner`'s."""

from executorch.devtools.backend_debug.delegation_info import (
    DelegationBreakdown,
    DelegationInfo,
    get_delegation_info,
    print_delegation_info,
)
from executorch.partitioner import format_reasons, get_reasons, print_reasons

__all__ = [
    "DelegationBreakdown",
    "DelegationInfo",
    "format_reasons",
    "get_delegation_info",
    "get_reasons",
    "print_delegation_info",
    "print_reasons",
]
