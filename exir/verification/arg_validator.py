"""Documented path of :mod:`executorch.dialects.arg_validator`."""

from executorch.dialects.arg_validator import EdgeOpArgValidator, RunHigherOrderOperatorError

__all__ = [
    "EdgeOpArgValidator",
    "RunHigherOrderOperatorError",
]
