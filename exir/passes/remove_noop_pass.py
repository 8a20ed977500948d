"""Documented path of :mod:`executorch.passes.remove_noop_pass`."""

from executorch.passes.remove_noop_pass import RemoveNoopPass

__all__ = [
    "RemoveNoopPass",
]
