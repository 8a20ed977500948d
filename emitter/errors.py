"""What goes wrong between a planned graph and the bytes of a file."""

from executorch.dialects.errors import ExportError, ExportErrorType, InternalError


class EmissionError(ExportError):
    """A graph cannot be written as a program. The message names the node, its source line and the way out."""

    default_code = ExportErrorType.NOT_SUPPORTED


class NodeEmissionError(EmissionError):
    """An `EmissionError` whose message already names the node."""


class UnplannedBufferError(EmissionError, InternalError):
    """A buffer that a method changes has neither memory nor a name by which memory could be given to it."""


class MemoryFormatError(EmissionError, InternalError):
    """An operator is told a memory format that no kernel knows; order is a matter of dimension order operators."""


class InternalNodeError(NodeEmissionError, InternalError):
    """An error that callers know as ``InternalError``, with the node in front."""
