"""A file that is not put together until it is needed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import BinaryIO

from executorch.emitter.file_data import FileBackedData
from executorch.schema.wire import BytesLike

_ZEROS = bytes(4096)


class Cord:
    """A sequence of pieces that together are the content of a file.

    Pieces are referred to, not copied: appending weights costs nothing, and writing to a file copies each byte
    once. Whoever owns a piece must not change it before the cord has been written.
    """

    __slots__ = ("_buffers", "_size")

    def __init__(self, data: BytesLike | FileBackedData | Cord | None = b"") -> None:
        self._buffers: list[memoryview] = []
        self._size = 0
        self.append(b"" if data is None else data)

    def append(self, data: BytesLike | FileBackedData | Cord) -> None:
        """Adds `data` at the end; raises `TypeError` for what is none of these."""
        if isinstance(data, Cord):
            self._buffers += data._buffers
            self._size += data._size
            return
        if isinstance(data, FileBackedData):
            view = data.view()
        elif isinstance(data, (bytes, bytearray, memoryview)):
            view = memoryview(data).cast("B")
        else:
            raise TypeError(f"Can only append bytes, FileBackedData, or Cords, received {type(data)}")
        if len(view):
            self._buffers.append(view)
            self._size += len(view)

    def pad_to(self, size: int) -> None:
        """Adds zeros until the size is `size` bytes; raises `ValueError` if it is larger already."""
        missing = size - self._size
        if missing < 0:
            raise ValueError(f"{self._size} bytes cannot be padded to {size}")
        while missing:
            piece = memoryview(_ZEROS)[:missing]
            self.append(piece)
            missing -= len(piece)

    def pieces(self) -> Iterator[memoryview]:
        """The pieces in order."""
        return iter(self._buffers)

    def write_to_file(self, outfile: BinaryIO | io.RawIOBase | io.BufferedIOBase) -> None:
        """Writes everything to an open binary file."""
        for piece in self._buffers:
            view = piece
            while len(view):
                written = outfile.write(view)
                # A raw file may take less than it was given.
                view = view[written:] if written is not None else view[:0]

    def digest(self) -> bytes:
        """The SHA-256 of everything."""
        found = hashlib.sha256()
        for piece in self._buffers:
            found.update(piece)
        return found.digest()

    def tobytes(self) -> bytes:
        """Everything in one piece of memory."""
        return b"".join(self._buffers)

    def __bytes__(self) -> bytes:
        return self.tobytes()

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (bytes, bytearray, memoryview, Cord)):
            return len(self) == len(other) and self.tobytes() == bytes(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Cord({self._size} bytes in {len(self._buffers)} pieces)"
