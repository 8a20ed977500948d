"""The mean of squared differences."""

from __future__ import annotations

from typing import Any

from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import (
    NumericalComparatorBase,
)
from executorch.devtools.inspector.numerical_comparator.operands import comparable


class MSEComparator(NumericalComparatorBase):
    """The mean of squared differences."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``mean((a - b)**2)``."""
        reference, value = comparable(a, b)
        difference = reference - value
        return float((difference**2).mean()) if difference.numel() else 0.0


__all__ = ["MSEComparator"]
