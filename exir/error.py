"""Documented path of :mod:`executorch.dialects.errors`."""

from executorch.dialects.errors import (
    ExportError,
    ExportErrorType,
    InternalError,
    MissingOutVariantError,
    OperatorNotSupportedError,
    PassError,
    SpecViolationError,
    UnboundedShapeError,
    UnknownMethodError,
    internal_assert,
)

__all__ = [
    "ExportError",
    "ExportErrorType",
    "InternalError",
    "MissingOutVariantError",
    "OperatorNotSupportedError",
    "PassError",
    "SpecViolationError",
    "UnboundedShapeError",
    "UnknownMethodError",
    "internal_assert",
]
