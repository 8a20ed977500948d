"""The ratio of signal to noise."""

from __future__ import annotations

import math
from typing import Any

from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import (
    NumericalComparatorBase,
)
from executorch.devtools.inspector.numerical_comparator.operands import comparable


class SNRComparator(NumericalComparatorBase):
    """The ratio of the reference's power to that of the difference, in decibels; infinite for equal values."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``10 log10(mean(a**2) / mean((a - b)**2))``."""
        reference, value = comparable(a, b)
        noise = reference - value
        if not reference.numel():
            return math.inf
        signal_power, noise_power = float((reference**2).mean()), float((noise**2).mean())
        if noise_power == 0:
            return math.inf
        return 10 * math.log10(signal_power / noise_power) if signal_power > 0 else -math.inf


__all__ = ["SNRComparator"]
