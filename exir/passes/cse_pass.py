"""Documented path of :mod:`executorch.passes.on_request.cse_pass`."""

from executorch.passes.on_request.cse_pass import CSEPass

__all__ = [
    "CSEPass",
]
