"""What goes wrong when memory is planned."""

from executorch.dialects.errors import ExportError, ExportErrorType


class MemoryPlanningError(ExportError):
    """A graph cannot be planned, or a plan is wrong. The message names values, their places and source lines."""

    default_code = ExportErrorType.VIOLATION_OF_SPEC
