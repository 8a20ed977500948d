"""Documented path of :mod:`executorch.passes.functionalize_views_pass`."""

from executorch.passes.functionalize_views_pass import FunctionalizeViewsPass

ReplaceBrokenOpsWithFunctionalOpsPass = FunctionalizeViewsPass

__all__ = [
    "ReplaceBrokenOpsWithFunctionalOpsPass",
]
