"""The distances that come with the inspector, and the base of users' own."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import torch


def to_float_tensor(value: Any) -> torch.Tensor:
    """A number or a tensor as float64 on the CPU; NaN counts as zero.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(value, (torch.Tensor, int, float, bool)):
        raise TypeError(f"a {type(value).__name__} cannot be compared: neither a tensor nor a number")
    tensor = torch.as_tensor(value).detach().cpu().to(torch.float64)
    return torch.nan_to_num(tensor, nan=0.0)


def _comparable(a: Any, b: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Both as float64.

    Raises:
        ValueError: their sizes do not fit.
    """
    one, other = to_float_tensor(a), to_float_tensor(b)
    try:
        torch.broadcast_shapes(one.shape, other.shape)
    except RuntimeError:
        sizes = f"{tuple(one.shape)} cannot be compared with one of {tuple(other.shape)}"
        raise ValueError(f"a value of size {sizes}") from None
    return one, other


class NumericalComparatorBase(ABC):
    """A distance. Subclasses implement :meth:`element_compare` and may change values in :meth:`preprocessing`."""

    @abstractmethod
    def element_compare(self, a: Any, b: Any) -> float:
        """The distance of a runtime value ``b`` from a reference ``a``; both are numbers or tensors."""

    def preprocessing(self, mapping: Any) -> Any:
        """A last look at all pairs before they are compared; returns them, changed or not."""
        return mapping

    def compare(self, a: Any, b: Any) -> list[float]:
        """The distances of two values, or of the elements of two lists.

        Raises:
            ValueError: The lists have different lengths.
        """
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            if len(a) != len(b):
                raise ValueError(f"{len(a)} values cannot be compared with {len(b)}")
            return [self.element_compare(x, y) for x, y in zip(a, b, strict=True)]
        return [self.element_compare(a, b)]


class L1Comparator(NumericalComparatorBase):
    """The sum of absolute differences."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``sum(|a - b|)``."""
        reference, value = _comparable(a, b)
        return float(torch.abs(reference - value).sum())


class MSEComparator(NumericalComparatorBase):
    """The mean of squared differences."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``mean((a - b)**2)``."""
        reference, value = _comparable(a, b)
        difference = reference - value
        return float((difference**2).mean()) if difference.numel() else 0.0


class SNRComparator(NumericalComparatorBase):
    """The ratio of the reference's power to that of the difference, in decibels; infinite for equal values."""

    def element_compare(self, a: Any, b: Any) -> float:
        """``10 log10(mean(a**2) / mean((a - b)**2))``."""
        reference, value = _comparable(a, b)
        noise = reference - value
        if not reference.numel():
            return math.inf
        signal_power, noise_power = float((reference**2).mean()), float((noise**2).mean())
        if noise_power == 0:
            return math.inf
        return 10 * math.log10(signal_power / noise_power) if signal_power > 0 else -math.inf


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


__all__ = [
    "COMPARATORS",
    "L1Comparator",
    "MSEComparator",
    "NumericalComparatorBase",
    "SNRComparator",
    "find_comparator",
    "to_float_tensor",
]
