"""Documented path of :mod:`executorch.passes.optimization.fuse_linear_pass`."""

from executorch.passes.optimization.fuse_linear_pass import FuseLinearPass

__all__ = [
    "FuseLinearPass",
]
