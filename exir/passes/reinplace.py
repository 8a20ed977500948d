"""Documented path of :mod:`executorch.passes.to_execution.reinplace`."""

from executorch.passes.to_execution.reinplace import DEFAULT_INPLACEABLE_OPS, ReinplacePass, reinplace_pass

__all__ = [
    "DEFAULT_INPLACEABLE_OPS",
    "ReinplacePass",
    "reinplace_pass",
]
