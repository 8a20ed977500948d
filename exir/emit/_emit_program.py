"""Documented path of :mod:`executorch.emitter`."""

from executorch.emitter import EmitterOutput, emit_program

__all__ = [
    "EmitterOutput",
    "emit_program",
]
