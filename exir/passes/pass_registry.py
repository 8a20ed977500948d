"""Documented path of :mod:`executorch.passes.infrastructure.pass_registry`."""

from executorch.passes.infrastructure.pass_registry import PassRegistry

__all__ = [
    "PassRegistry",
]
