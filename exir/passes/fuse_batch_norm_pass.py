"""Documented path of :mod:`executorch.passes.fuse_batch_norm_pass`."""

from executorch.passes.fuse_batch_norm_pass import FuseBatchNormPass

__all__ = [
    "FuseBatchNormPass",
]
