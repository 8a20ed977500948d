"""Documented path of :mod:`executorch.passes.reinplace`."""

from executorch.passes.reinplace import DEFAULT_INPLACEABLE_OPS, ReinplacePass, reinplace_pass

__all__ = [
    "DEFAULT_INPLACEABLE_OPS",
    "ReinplacePass",
    "reinplace_pass",
]
