"""What can go wrong between a partitioner, a backend and the program they work on.

All of these are :class:`executorch.dialects.errors.ExportError`. Each class also derives from the built-in
exception that callers of the documented API catch.
"""

from executorch.dialects.errors import ExportError, ExportErrorType


class DelegationError(ExportError, RuntimeError):
    """A program could not be partitioned or handed to a backend."""

    default_code = ExportErrorType.NOT_SUPPORTED


class PartitionerContractError(DelegationError, AssertionError):
    """A partitioner did something other than tag nodes, or tagged what cannot be delegated."""

    default_code = ExportErrorType.VIOLATION_OF_SPEC


class PartitionCycleError(PartitionerContractError):
    """Partitions are not convex: executed as one step each, they would wait for one another."""


class BackendNotFoundError(DelegationError, NotImplementedError):
    """No ahead-of-time backend of this name is registered or installed."""

    default_code = ExportErrorType.MISSING_PROPERTY


class PreprocessError(DelegationError):
    """A backend's ``preprocess`` returned something that is not a ``PreprocessResult`` with bytes."""

    default_code = ExportErrorType.VIOLATION_OF_SPEC
