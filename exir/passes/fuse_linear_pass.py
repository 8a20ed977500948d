"""Documented path of :mod:`executorch.passes.fuse_linear_pass`."""

from executorch.passes.fuse_linear_pass import FuseLinearPass

__all__ = [
    "FuseLinearPass",
]
