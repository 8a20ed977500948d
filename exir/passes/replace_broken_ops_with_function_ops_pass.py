"""Documented path of :mod:`executorch.passes.to_edge.functionalize_views_pass`."""

from executorch.passes.to_edge.functionalize_views_pass import FunctionalizeViewsPass

ReplaceBrokenOpsWithFunctionalOpsPass = FunctionalizeViewsPass

__all__ = [
    "ReplaceBrokenOpsWithFunctionalOpsPass",
]
