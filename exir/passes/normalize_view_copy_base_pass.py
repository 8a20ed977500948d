"""Documented path of :mod:`executorch.passes.normalize_passes`."""

from executorch.passes.normalize_passes import NormalizeViewCopyBasePass

__all__ = [
    "NormalizeViewCopyBasePass",
]
