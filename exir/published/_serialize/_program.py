"""Small readers of ``.pte`` files."""

import struct
from dataclasses import dataclass
from typing import ClassVar

from executorch.emitter import ExtendedHeader, deserialize_pte_binary
from executorch.emitter.headers import HEADER_OFFSET
from executorch.schema.wire import FormatError

_FORMAT = struct.Struct("<4sI3Q")


@dataclass
class _ExtendedHeader:
    """The extended header of a ``.pte`` file as plain fields, also when they make no sense.

    :class:`executorch.emitter.ExtendedHeader` is the reader that refuses such headers.

    Attributes:
        program_size: bytes of the flatbuffer, headers included.
        segment_base_offset: where the first segment begins.
        segment_data_size: bytes from the first segment to the end of the last.
        magic, length: what the header says of itself.
    """

    EXPECTED_MAGIC: ClassVar[bytes] = ExtendedHeader.MAGIC
    MINIMUM_LENGTH: ClassVar[int] = ExtendedHeader.MINIMUM_LENGTH
    EXPECTED_LENGTH: ClassVar[int] = ExtendedHeader.LENGTH
    NUM_HEAD_BYTES: ClassVar[int] = 64

    program_size: int
    segment_base_offset: int
    segment_data_size: int
    magic: bytes = ExtendedHeader.MAGIC
    length: int = ExtendedHeader.LENGTH

    @staticmethod
    def from_bytes(data: bytes) -> "_ExtendedHeader":
        """Reads the 32 bytes of a header.

        Raises:
            ValueError: there are fewer.
        """
        if len(data) < _FORMAT.size:
            raise ValueError(f"Not enough data for extended header: {len(data)} < {_FORMAT.size}")
        magic, length, program_size, base, size = _FORMAT.unpack_from(data)
        # A header that says it is shorter has no such field: what stands there belongs to something else.
        return _ExtendedHeader(program_size, base, size if length >= _FORMAT.size else 0, magic, length)

    def is_valid(self) -> bool:
        """Whether magic and length are those of a header."""
        return self.magic == self.EXPECTED_MAGIC and self.length >= self.MINIMUM_LENGTH

    def to_bytes(self) -> bytes:
        """The header with the magic and the length of this version, whatever the object says of itself."""
        numbers = (self.program_size, self.segment_base_offset, self.segment_data_size)
        return _FORMAT.pack(self.EXPECTED_MAGIC, self.EXPECTED_LENGTH, *numbers)


def _get_extended_header(program_data: bytes) -> "_ExtendedHeader | None":
    """The header of a file that begins with ``program_data``; None if there is none, or no valid one."""
    try:
        header = _ExtendedHeader.from_bytes(bytes(program_data[HEADER_OFFSET : HEADER_OFFSET + _FORMAT.size]))
    except ValueError:
        return None
    return header if header.is_valid() else None


def _extract_delegate_payload(pte_data: bytes, backend_id: str, delegate_index: int = 0) -> "bytes | None":
    """The blob of a delegate, wherever in the file it is.

    Args:
        pte_data: a ``.pte`` file.
        backend_id: part of the backend's name, in any case of letters.
        delegate_index: which of the delegates whose backend has such a name, counted over all methods.

    Returns:
        None if there is no such delegate.
    """
    program = deserialize_pte_binary(pte_data).program
    found = [
        delegate
        for plan in program.execution_plan
        for delegate in plan.delegates
        if backend_id.lower() in delegate.id.lower()
    ]
    if not 0 <= delegate_index < len(found):
        return None
    place = found[delegate_index].processed.index
    if not 0 <= place < len(program.backend_delegate_data):
        raise FormatError(
            f"delegate {found[delegate_index].id!r}: blob {place} of {len(program.backend_delegate_data)}"
        )
    return bytes(program.backend_delegate_data[place].data)
