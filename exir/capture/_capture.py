"""Documented path of :mod:`executorch.exir.legacy_program` for capture."""

from executorch.exir.legacy_program import CallSpec, WrapperModule, capture, patch_forward

__all__ = [
    "CallSpec",
    "WrapperModule",
    "capture",
    "patch_forward",
]
