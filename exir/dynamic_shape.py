"""How memory for values of dynamic shape is planned."""

import enum


class DynamicMemoryPlanningMode(enum.IntEnum):
    """Whether a dynamic size is planned with its bound, or left to a symbol."""

    #: Every dynamic size counts with its upper bound; the arena fits the largest input.
    UPPER_BOUND = 0
    #: Sizes stay symbols. Planning needs numbers, so programs of this mode cannot be planned ahead of time.
    SYMBOLIC = 1


__all__ = ["DynamicMemoryPlanningMode"]
