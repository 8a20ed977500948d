"""The headers that `.pte` and `.ptd` files carry between a flatbuffer's identifier and its tables.

All numbers are little-endian. The layouts are those of the documented file formats.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import ClassVar

from executorch.emitter.alignment import align_up
from executorch.schema.wire import BytesLike, FormatError

HEADER_OFFSET = 8
"""Both headers begin behind the root offset and the file identifier."""
HEAD_BYTES = 64
"""Readers look at this many bytes before they know a file's layout; no valid file is shorter."""


@dataclass(frozen=True)
class ExtendedHeader:
    """Header of a `.pte` file with segments.

    Attributes:
        program_size: bytes of the flatbuffer, counted from the first byte of the file, headers included.
        segment_base_offset: where the first segment begins, 0 if there is none.
        segment_data_size: bytes from the first segment to the end of the last.
    """

    program_size: int
    segment_base_offset: int
    segment_data_size: int

    MAGIC: ClassVar[bytes] = b"eh00"
    LENGTH: ClassVar[int] = 32
    MINIMUM_LENGTH: ClassVar[int] = 24
    """The length before `segment_data_size` was added."""

    def to_bytes(self) -> bytes:
        """The 32 bytes of the header, without padding."""
        numbers = (self.program_size, self.segment_base_offset, self.segment_data_size)
        return struct.pack("<4sI3Q", self.MAGIC, self.LENGTH, *numbers)

    @classmethod
    def from_file(cls, data: BytesLike) -> ExtendedHeader | None:
        """Reads the header of a file that begins with `data`; None if it has none.

        Raises:
            FormatError: the header is cut off, too short, or describes ranges that overlap.
        """
        found = bytes(data[HEADER_OFFSET : HEADER_OFFSET + 4])
        if found[:2] != cls.MAGIC[:2]:
            return None
        if found != cls.MAGIC:
            raise FormatError(
                f"unknown version of the extended header: expected {cls.MAGIC!r}, found {found!r}"
            )
        if len(data) < HEAD_BYTES:
            raise FormatError(
                f"the file has {len(data)} bytes; an extended header needs at least {HEAD_BYTES}"
            )
        length, program_size, base = struct.unpack_from("<I2Q", data, HEADER_OFFSET + 4)
        if length < cls.MINIMUM_LENGTH:
            raise FormatError(
                f"the extended header has {length} bytes, expected at least {cls.MINIMUM_LENGTH}"
            )
        size = struct.unpack_from("<Q", data, HEADER_OFFSET + 24)[0] if length >= cls.LENGTH else 0
        if base and base < program_size:
            raise FormatError(f"the segments begin at {base}, inside the program of {program_size} bytes")
        return cls(program_size, base, size)


@dataclass(frozen=True)
class FlatTensorHeader:
    """Header of a `.ptd` file; always present.

    Attributes:
        flatbuffer_offset: size of the header with its padding.
        flatbuffer_size: bytes of the flatbuffer without the header. The flatbuffer occupies the first
            `flatbuffer_offset + flatbuffer_size` bytes of the file.
        segment_base_offset: where the first segment begins.
        segment_data_size: bytes from the first segment to the end of the last.
    """

    flatbuffer_offset: int
    flatbuffer_size: int
    segment_base_offset: int
    segment_data_size: int

    MAGIC: ClassVar[bytes] = b"FH01"
    LENGTH: ClassVar[int] = 40
    PADDED_LENGTH: ClassVar[int] = align_up(40, 16)

    def to_bytes(self) -> bytes:
        """The 40 bytes of the header, without padding."""
        numbers = (
            self.flatbuffer_offset,
            self.flatbuffer_size,
            self.segment_base_offset,
            self.segment_data_size,
        )
        return struct.pack("<4sI4Q", self.MAGIC, self.LENGTH, *numbers)

    @classmethod
    def from_file(cls, data: BytesLike) -> FlatTensorHeader:
        """Reads the header of a file that begins with `data`.

        Raises:
            FormatError: there is no header, it is cut off, or describes ranges that overlap.
        """
        if len(data) < HEAD_BYTES:
            raise FormatError(f"the file has {len(data)} bytes; a .ptd file has at least {HEAD_BYTES}")
        magic, length, *numbers = struct.unpack_from("<4sI4Q", data, HEADER_OFFSET)
        if magic != cls.MAGIC:
            raise FormatError(f"expected the header {cls.MAGIC!r} at byte {HEADER_OFFSET}, found {magic!r}")
        if length < cls.LENGTH:
            raise FormatError(f"the header has {length} bytes, expected at least {cls.LENGTH}")
        header = cls(*numbers)
        end = header.flatbuffer_offset + header.flatbuffer_size
        if header.segment_data_size and header.segment_base_offset < end:
            raise FormatError(
                f"the segments begin at {header.segment_base_offset}, inside the flatbuffer of {end} bytes"
            )
        return header
