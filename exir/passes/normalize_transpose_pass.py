"""Documented path of :mod:`executorch.passes.on_request.normalize_passes`."""

from executorch.passes.on_request.normalize_passes import NormalizeTransposePass

__all__ = [
    "NormalizeTransposePass",
]
