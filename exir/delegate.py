"""Documented path of the delegate call."""

from executorch.partitioner.interface.call_delegate import (
    executorch_call_delegate,
    get_lowered_module_name,
    is_lowered_module,
)

__all__ = [
    "executorch_call_delegate",
    "get_lowered_module_name",
    "is_lowered_module",
]
