"""What goes wrong between a planned graph and the bytes of a file."""

from executorch.dialects.errors import ExportError, ExportErrorType


class EmissionError(ExportError):
    """A graph cannot be written as a program. The message names the node, its source line and the way out."""

    default_code = ExportErrorType.NOT_SUPPORTED


class NodeEmissionError(EmissionError):
    """An `EmissionError` whose message already names the node."""
