"""TOSA: which, and the way to it; see README.md of the library."""

from executorch.backends.arm.tosa.specification import TosaSpecification

__all__ = ["TosaSpecification"]
