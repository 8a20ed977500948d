"""Documented path of :mod:`executorch.passes.type_promotion_pass`."""

from executorch.passes.type_promotion_pass import TypePromotionPass

RemoveMixedTypeOperators = TypePromotionPass

__all__ = [
    "RemoveMixedTypeOperators",
]
