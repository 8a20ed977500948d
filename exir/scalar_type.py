"""Documented path of the element types of programs."""

from executorch.schema.scalar_type import ScalarType

__all__ = [
    "ScalarType",
]
