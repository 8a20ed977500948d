"""The blob of a delegate: a header, the graph's flatbuffer, and constants behind it.

Layout as released ExecuTorch 1.x reads it: 30 bytes of header in 32, the flatbuffer, zeros up to a multiple of
16, the constants. Files without a header are the flatbuffer alone.
"""

from __future__ import annotations

import struct

from executorch.backends.xnnpack.serialization.schema import XNNGraph, read_xnngraph, write_xnngraph
from executorch.schema.wire import FormatError, padding

#: Bytes 0-3 are zero; then the magic, the header's own length, where the flatbuffer and the constants lie.
HEADER = struct.Struct("<4x4sHIIIQ")
MAGIC = b"XH00"
_FLATBUFFER_OFFSET = 32
_CONSTANTS_ALIGNMENT = 16
#: ``ConstantDataOffset.offset`` of a constant that lies in the program's named data.
NAMED = 2**64 - 1
#: Identifier of a value that is not there (a missing bias).
INVALID_ID = 2**32 - 1


def pack(graph: XNNGraph, constants: bytes = b"") -> bytes:
    """The blob of a graph; ``constants`` is what offsets other than ``NAMED`` refer to."""
    flatbuffer = write_xnngraph(graph).tobytes()
    end = _FLATBUFFER_OFFSET + len(flatbuffer)
    gap = padding(end, _CONSTANTS_ALIGNMENT)
    header = HEADER.pack(MAGIC, HEADER.size, _FLATBUFFER_OFFSET, len(flatbuffer), end + gap, len(constants))
    return header.ljust(_FLATBUFFER_OFFSET, b"\0") + flatbuffer + bytes(gap) + constants


def unpack(blob: bytes) -> tuple[XNNGraph, bytes]:
    """Graph and constants of a blob.

    Raises:
        FormatError: The blob is cut off, or no such graph.
    """
    if blob[4:8] != MAGIC:
        return read_xnngraph(blob), b""
    if len(blob) < HEADER.size:
        raise FormatError(f"the header of the delegate is cut off after {len(blob)} bytes")
    _, _, offset, size, constants_offset, constants_size = HEADER.unpack_from(blob)
    for name, begin, length in (("graph", offset, size), ("constants", constants_offset, constants_size)):
        if begin + length > len(blob):
            raise FormatError(f"the {name} of the delegate end at byte {begin + length} of {len(blob)}")
    return read_xnngraph(blob[offset : offset + size]), blob[constants_offset:][:constants_size]
