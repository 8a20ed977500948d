"""Documented paths of :mod:`executorch.dialects`."""

from executorch.dialects.ops import ops

__all__ = [
    "ops",
]
