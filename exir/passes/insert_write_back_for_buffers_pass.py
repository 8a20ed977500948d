"""Documented path of :mod:`executorch.passes.to_execution.insert_write_back_for_buffers_pass`."""

from executorch.passes.to_execution.insert_write_back_for_buffers_pass import (
    InsertWriteBackForBuffersPass,
    insert_write_back_for_buffers_pass,
)

__all__ = [
    "InsertWriteBackForBuffersPass",
    "insert_write_back_for_buffers_pass",
]
