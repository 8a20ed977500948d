"""Documented path of :mod:`executorch.partitioner.lowered_module`."""

from executorch.partitioner import LoweredBackendModule, get_lowered_backend_modules, get_lowered_submodules

__all__ = [
    "LoweredBackendModule",
    "get_lowered_backend_modules",
    "get_lowered_submodules",
]
