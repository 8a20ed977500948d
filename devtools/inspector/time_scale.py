"""Units of time."""

from enum import Enum


class TimeScale(Enum):
    """A unit of time; ``CYCLES`` cannot be converted."""

    NS = "ns"
    US = "us"
    MS = "ms"
    S = "s"
    CYCLES = "cycles"


#: How many of a unit are in a second.
TIME_SCALE_DICT = {
    TimeScale.NS: 1_000_000_000,
    TimeScale.US: 1_000_000,
    TimeScale.MS: 1000,
    TimeScale.S: 1,
    TimeScale.CYCLES: 1,
}


def calculate_time_scale_factor(source_time_scale: TimeScale, target_time_scale: TimeScale) -> float:
    """What to divide a time in ``source_time_scale`` by.

    Raises:
        ValueError: One of them is cycles and the other is not.
    """
    if (source_time_scale == TimeScale.CYCLES) != (target_time_scale == TimeScale.CYCLES):
        raise ValueError(
            f"{source_time_scale.value} cannot be converted to {target_time_scale.value}: the length of a cycle "
            "is not known; use the same time scale for source and target"
        )
    return TIME_SCALE_DICT[source_time_scale] / TIME_SCALE_DICT[target_time_scale]


__all__ = ["TIME_SCALE_DICT", "TimeScale", "calculate_time_scale_factor"]
