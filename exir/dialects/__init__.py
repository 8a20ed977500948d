"""Documented paths of :mod:`executorch.dialects`."""

from executorch.dialects.backend_ops import bind_pattern_to_op
from executorch.dialects.ops import ops
from executorch.exir._submodules import submodule_getter

__getattr__ = submodule_getter(__name__, "_ops backend edge")

__all__ = [
    "bind_pattern_to_op",
    "ops",
]
