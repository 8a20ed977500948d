"""Documented path of :mod:`executorch.passes.normalize_passes`."""

from executorch.passes.normalize_passes import NormalizeTransposePass

__all__ = [
    "NormalizeTransposePass",
]
