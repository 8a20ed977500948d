"""Documented path of :mod:`executorch.emitter`."""

from executorch.emitter import EmissionError, EmitterOutput, emit_program

__all__ = [
    "EmissionError",
    "EmitterOutput",
    "emit_program",
]
