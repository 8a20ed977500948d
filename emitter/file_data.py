"""Bytes that stay in a file until they are written into another one."""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import tempfile
import weakref
from typing import BinaryIO

_CHUNK = 1 << 20


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.remove(path)


class FileBackedData:
    """The content of a file, not loaded: a :class:`Cord` takes it like bytes.

    The size is that at construction. Nobody may change the file before :meth:`close`.

    Args:
        path: the file.
        cleanup: remove the file on :meth:`close`, at the latest when the object goes away.
        sha256: digest of the content, when it is known already.

    Raises:
        FileNotFoundError: there is no such file.
    """

    def __init__(self, path: str, cleanup: bool = False, sha256: bytes | None = None) -> None:
        self._path = os.fspath(path)
        self._size = os.path.getsize(self._path)
        self._sha256 = sha256
        self._finalizer = weakref.finalize(self, _remove, self._path) if cleanup else None

    @classmethod
    def move_from(cls, path: str, sha256: bytes | None = None) -> FileBackedData:
        """Takes the file over: it leaves its place at once, and is removed together with the object.

        The new place is a hidden name in the same directory, so nothing is copied and whoever writes `path` anew does
        not change this content.
        """
        handle, hidden = tempfile.mkstemp(
            prefix=".executorch_", suffix=".data", dir=os.path.dirname(path) or "."
        )
        os.close(handle)
        try:
            os.replace(path, hidden)
        except OSError:
            _remove(hidden)
            raise
        return cls(hidden, cleanup=True, sha256=sha256)

    def view(self) -> memoryview:
        """The content, mapped into memory as it is read."""
        if not self._size:
            return memoryview(b"")
        with open(self._path, "rb") as file:
            return memoryview(mmap.mmap(file.fileno(), self._size, access=mmap.ACCESS_READ))

    def prefix(self, size: int) -> bytes:
        """The first ``size`` bytes, or all if there are fewer."""
        with open(self._path, "rb") as file:
            return file.read(min(size, self._size))

    def sha256(self) -> bytes:
        """SHA-256 of the content, computed once."""
        if self._sha256 is None:
            digest = hashlib.sha256()
            with open(self._path, "rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
            self._sha256 = digest.digest()
        return self._sha256

    def to_bytes(self) -> bytes:
        """The content, loaded."""
        with open(self._path, "rb") as file:
            return file.read()

    def write_to_file(self, outfile: BinaryIO) -> None:
        """Copies the content to an open binary file, a chunk at a time."""
        with open(self._path, "rb") as file:
            while chunk := file.read(_CHUNK):
                outfile.write(chunk)

    def close(self) -> None:
        """Removes the file if that was asked for; what a cord holds of it stays valid."""
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> FileBackedData:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __len__(self) -> int:
        return self._size

    def __bytes__(self) -> bytes:
        return self.to_bytes()
