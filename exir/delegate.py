"""Documented path of the delegate call."""

from executorch.partitioner import executorch_call_delegate

__all__ = [
    "executorch_call_delegate",
]
