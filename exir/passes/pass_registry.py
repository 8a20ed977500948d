"""Documented path of :mod:`executorch.passes.pass_registry`."""

from executorch.passes.pass_registry import PassRegistry

__all__ = [
    "PassRegistry",
]
