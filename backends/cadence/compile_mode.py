"""How much a model is worth to the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class CompileMode(Enum):
    """What passes run, and what memory planning tries."""

    #: Only what programs need to run.
    MINIMAL = "minimal"
    DEFAULT = "default"
    #: Small programs before fast ones.
    SIZE = "size"


@dataclass(frozen=True)
class EdgePassesConfig:
    """Choices among passes over edge operators.

    Attributes:
        use_im2row_transform: make convolutions products of matrices, by copies of their windows.
    """

    use_im2row_transform: bool = False


__all__ = ["CompileMode", "EdgePassesConfig"]
