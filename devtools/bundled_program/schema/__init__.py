"""The objects of a bundled program's file, under their documented names."""

from executorch.schema.bundled_program import (
    Bool,
    BundledMethodTestCase,
    BundledMethodTestSuite,
    BundledProgram,
    Double,
    Int,
    Tensor,
    Value,
    ValueUnion,
)
from executorch.schema.scalar_type import ScalarType

__all__ = [
    "Bool",
    "BundledMethodTestCase",
    "BundledMethodTestSuite",
    "BundledProgram",
    "Double",
    "Int",
    "ScalarType",
    "Tensor",
    "Value",
    "ValueUnion",
]
