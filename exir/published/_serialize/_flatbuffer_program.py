"""The flatbuffer of a program alone, without header and segments."""

from executorch.emitter.alignment import checked_alignment
from executorch.exir.published._serialize._flatbuffer import _FlatbufferResult
from executorch.schema import program as schema
from executorch.schema.program import Program

_TENSOR, _DELEGATE = "Buffer.storage", "BackendDelegateInlineData.data"


def _program_to_flatbuffer(
    program: Program,
    *,
    constant_tensor_alignment: "int | None" = None,
    delegate_alignment: "int | None" = None,
) -> _FlatbufferResult:
    """Writes a program's objects as they are: what stands in lists of buffers goes into the flatbuffer.

    Args:
        program: not changed.
        constant_tensor_alignment, delegate_alignment: of inline data, in bytes; default 16.

    Raises:
        ValueError: an alignment is not a power of two.
    """
    if constant_tensor_alignment is not None:
        checked_alignment(constant_tensor_alignment, "constant_tensor_alignment")
    if delegate_alignment is not None:
        checked_alignment(delegate_alignment, "delegate_alignment")
    alignments = {
        _TENSOR: constant_tensor_alignment or schema.FORCE_ALIGN[_TENSOR],
        _DELEGATE: delegate_alignment or schema.FORCE_ALIGN[_DELEGATE],
    }
    message = schema.write_program(program, alignments)
    return _FlatbufferResult(b"".join(message.chunks()), max(message.alignment, *alignments.values()))


def _flatbuffer_to_program(program_data: bytes) -> Program:
    """Reads a flatbuffer; offsets into segments stay what they are.

    Raises:
        FormatError: it is cut off or corrupt, or no program.
    """
    return schema.read_program(program_data)
