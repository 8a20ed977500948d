"""Documented path of :mod:`executorch.partitioner.inspection.delegation_info`."""

from executorch.partitioner import (
    DelegationBreakdown,
    DelegationInfo,
    get_delegation_info,
    print_delegation_info,
)

__all__ = [
    "DelegationBreakdown",
    "DelegationInfo",
    "get_delegation_info",
    "print_delegation_info",
]
