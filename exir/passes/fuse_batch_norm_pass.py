"""Documented path of :mod:`executorch.passes.optimization.fuse_batch_norm_pass`."""

from executorch.passes.optimization.fuse_batch_norm_pass import FuseBatchNormPass

__all__ = [
    "FuseBatchNormPass",
]
