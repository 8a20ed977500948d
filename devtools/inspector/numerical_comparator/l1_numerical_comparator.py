"""The sum of absolute differences."""

from __future__ import annotations

from typing import Any

import torch

from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import (
    NumericalComparatorBase,
)
from executorch.devtools.inspector.numerical_comparator.operands import comparable


class L1Comparator(NumericalComparatorBase):
    """The sum of absolute differences."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``sum(|a - b|)``."""
        reference, value = comparable(a, b)
        return float(torch.abs(reference - value).sum())


__all__ = ["L1Comparator"]
