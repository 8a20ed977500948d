"""Documented path of writing and reading `.ptd` files; the code is :mod:`executorch.emitter.flat_tensor`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import ClassVar

from executorch import emitter
from executorch.emitter import (
    Cord,
    DataEntry,
    DataPayload,
    DataSerializer,
    FlatTensorConfig,
)
from executorch.partitioner.interface.named_data_store import NamedDataStoreOutput
from executorch.schema.flat_tensor import (
    DataSegment,
    FlatTensor,
    NamedData,
    TensorLayout,
    read_flat_tensor,
    write_flat_tensor,
)
from executorch.schema.wire import BytesLike, FormatError

_HEADER_BYTEORDER = "little"
_HEADER_OFFSET = 8
#: Bytes that a flatbuffer is aligned to, and with it a header's padded size.
_FLATBUFFER_ALIGNMENT = 16
#: The version of the format that is written.
_FLAT_TENSOR_VERSION: int = 0


@dataclass(frozen=True)
class FlatTensorHeader(emitter.FlatTensorHeader):
    """The header of a `.ptd` file as it stands there, right or wrong.

    Attributes:
        magic: the mark of a header.
        length: its bytes without padding.
    """

    magic: bytes = emitter.FlatTensorHeader.MAGIC
    length: int = emitter.FlatTensorHeader.LENGTH

    EXPECTED_MAGIC: ClassVar[bytes] = emitter.FlatTensorHeader.MAGIC
    EXPECTED_LENGTH: ClassVar[int] = emitter.FlatTensorHeader.LENGTH

    @classmethod
    def from_bytes(cls, data: bytes) -> FlatTensorHeader:
        """Reads a header that begins with `data`; whether it is one, :meth:`is_valid` says.

        Raises:
            ValueError: there are fewer bytes than a header has.
        """
        if len(data) < cls.EXPECTED_LENGTH:
            raise ValueError(
                f"Not enough data for flat_tensor header: {len(data)} < {cls.EXPECTED_LENGTH} bytes"
            )
        magic, length, flatbuffer_offset, flatbuffer_size, segment_base, segment_size = struct.unpack_from(
            "<4sI4Q", data
        )
        return cls(flatbuffer_offset, flatbuffer_size, segment_base, segment_size, magic, length)

    def is_valid(self) -> bool:
        """Whether mark and length are those of a header."""
        return self.magic == self.EXPECTED_MAGIC and self.length >= self.EXPECTED_LENGTH


class NewerVersionError(FormatError, NotImplementedError):
    """The file has a newer version of the format than this release reads."""


class FlatTensorSerializer(emitter.FlatTensorSerializer):
    """Writes and reads `.ptd` files, also as what is kept beside a program that is being made."""

    def _format_version(self) -> int:
        return _FLAT_TENSOR_VERSION

    def deserialize(self, blob: BytesLike | Cord) -> DataPayload:
        """The content of a file; buffers refer to `blob`.

        Raises:
            NewerVersionError: a later release wrote it.
            FormatError: the file is cut off or corrupt, or no `.ptd` file; the message says which.
        """
        try:
            return super().deserialize(blob)
        except FormatError as error:
            if _version(bytes(blob)) > _FLAT_TENSOR_VERSION:
                raise NewerVersionError(str(error)) from error
            raise

    def deserialize_to_named_data_store_output(
        self, blob: BytesLike | Cord, name: str
    ) -> NamedDataStoreOutput:
        """The content of a file as a backend's named data store gives it out, for another file or program.

        Args:
            blob: the file.
            name: the tag of the entries, which is the name of the `.ptd` file that they will be written to.
        """
        payload = self.deserialize(blob)
        return NamedDataStoreOutput(
            buffers=[bytes(buffer) for buffer in payload.buffers],
            pte_data={},
            external_data={name: payload.named_data},
        )


def _version(data: bytes) -> int:
    """The version that a file says it has; that of today where it says nothing that can be read."""
    header = _get_extended_header(data)
    if header is None:
        return _FLAT_TENSOR_VERSION
    try:
        return read_flat_tensor(data[: header.flatbuffer_offset + header.flatbuffer_size]).version
    except FormatError:
        return _FLAT_TENSOR_VERSION


def _get_extended_header(flat_tensor_data: bytes) -> FlatTensorHeader | None:
    """The header of a `.ptd` file; None if there is none."""
    try:
        header = FlatTensorHeader.from_bytes(flat_tensor_data[_HEADER_OFFSET:])
    except ValueError:
        return None
    return header if header.is_valid() else None


def _serialize_to_flatbuffer(flat_tensor: FlatTensor) -> Cord:
    """The tables of a `.ptd` file as a flatbuffer of its own, without the header."""
    message = write_flat_tensor(flat_tensor)
    return Cord(b"".join(bytes(chunk) for chunk in message.chunks(b"")))


def _deserialize_to_flat_tensor(flatbuffer: bytes) -> FlatTensor:
    """The tables at the beginning of `flatbuffer`.

    Raises:
        FormatError: it is cut off or corrupt, or not of a `.ptd` file.
    """
    return read_flat_tensor(flatbuffer)


__all__ = [
    "Cord",
    "DataEntry",
    "DataPayload",
    "DataSegment",
    "DataSerializer",
    "FlatTensor",
    "FlatTensorConfig",
    "FlatTensorHeader",
    "FlatTensorSerializer",
    "FormatError",
    "NamedData",
    "NamedDataStoreOutput",
    "NewerVersionError",
    "TensorLayout",
]
