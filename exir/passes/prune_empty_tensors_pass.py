"""Documented path of :mod:`executorch.passes.normalize_passes`."""

from executorch.passes.normalize_passes import PruneEmptyTensorsPass

__all__ = [
    "PruneEmptyTensorsPass",
]
