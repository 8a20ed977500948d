"""Documented path of :mod:`executorch.passes.cse_pass`."""

from executorch.passes.cse_pass import CSEPass

__all__ = [
    "CSEPass",
]
