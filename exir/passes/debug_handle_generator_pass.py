"""Documented path of :mod:`executorch.passes.to_edge.debug_handle_generator_pass`."""

from executorch.passes.to_edge.debug_handle_generator_pass import (
    DebugHandleGeneratorPass,
    generate_missing_debug_handles,
)

__all__ = [
    "DebugHandleGeneratorPass",
    "generate_missing_debug_handles",
]
