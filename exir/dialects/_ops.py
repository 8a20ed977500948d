"""Documented path of :mod:`executorch.dialects.ops`."""

from executorch.dialects.ops import ops

__all__ = [
    "ops",
]
