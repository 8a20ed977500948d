"""Times of an event over its runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


class PerfData:
    """Times of one event, one for each run, with their statistics."""

    def __init__(self, raw: Sequence[float]) -> None:
        self.raw = list(raw)

    @property
    def p10(self) -> float:
        """A tenth of the times is below."""
        return float(np.percentile(self.raw, 10))

    @property
    def p50(self) -> float:
        """The median."""
        return float(np.percentile(self.raw, 50))

    @property
    def p90(self) -> float:
        """A tenth of the times is above."""
        return float(np.percentile(self.raw, 90))

    @property
    def avg(self) -> float:
        """The mean."""
        return float(np.mean(self.raw))

    @property
    def min(self) -> float:
        """The shortest."""
        return min(self.raw)

    @property
    def max(self) -> float:
        """The longest."""
        return max(self.raw)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PerfData) and self.raw == other.raw

    def __repr__(self) -> str:
        return f"PerfData({self.raw})"
