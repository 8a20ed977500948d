"""Documented paths of :mod:`executorch.dialects`."""

from executorch.dialects.backend_ops import bind_pattern_to_op
from executorch.dialects.ops import ops

__all__ = [
    "bind_pattern_to_op",
    "ops",
]
