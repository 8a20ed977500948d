"""Documented path of :mod:`executorch.passes.debug_handle_generator_pass`."""

from executorch.passes.debug_handle_generator_pass import (
    DebugHandleGeneratorPass,
    generate_missing_debug_handles,
)

__all__ = [
    "DebugHandleGeneratorPass",
    "generate_missing_debug_handles",
]
