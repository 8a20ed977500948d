"""What goes wrong when memory is planned."""

from executorch.dialects.errors import ExportErrorType, InternalError


class MemoryPlanningError(InternalError):
    """A graph cannot be planned, or a plan is wrong. The message names values, their places and source lines."""

    default_code = ExportErrorType.VIOLATION_OF_SPEC
