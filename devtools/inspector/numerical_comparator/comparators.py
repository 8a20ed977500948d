"""The distances that come with the inspector, by name."""

from __future__ import annotations

from executorch.devtools.inspector.numerical_comparator.l1_numerical_comparator import L1Comparator
from executorch.devtools.inspector.numerical_comparator.mse_numerical_comparator import MSEComparator
from executorch.devtools.inspector.numerical_comparator.numerical_comparator_base import (
    NumericalComparatorBase,
)
from executorch.devtools.inspector.numerical_comparator.snr_numerical_comparator import SNRComparator

COMPARATORS: dict[str, type[NumericalComparatorBase]] = {
    "L1": L1Comparator,
    "MSE": MSEComparator,
    "SNR": SNRComparator,
}


def find_comparator(distance: str | NumericalComparatorBase) -> NumericalComparatorBase:
    """The comparator of a name; one that is given comes back.

    Raises:
        ValueError: There is none of this name.
    """
    if isinstance(distance, NumericalComparatorBase):
        return distance
    found = COMPARATORS.get(distance.strip().upper())
    if found is None:
        raise ValueError(f"unknown distance {distance!r}: one of {sorted(COMPARATORS)}, or a comparator")
    return found()


__all__ = ["COMPARATORS", "find_comparator"]
