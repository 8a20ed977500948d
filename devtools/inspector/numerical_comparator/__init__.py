"""Distances between values, for :meth:`executorch.devtools.Inspector.calculate_numeric_gap`."""

from executorch.devtools.inspector.numerical_comparator.comparators import (
    L1Comparator,
    MSEComparator,
    NumericalComparatorBase,
    SNRComparator,
)

__all__ = ["L1Comparator", "MSEComparator", "NumericalComparatorBase", "SNRComparator"]
