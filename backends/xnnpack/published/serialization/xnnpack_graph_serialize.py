"""Blobs of delegates, under the path and with the names of released ExecuTorch 1.x; see ``blob.py``."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import ClassVar, Literal

from executorch.backends.xnnpack.serialization.blob import HEADER, MAGIC, pack
from executorch.backends.xnnpack.serialization.schema import XNNGraph, write_xnngraph

CONSTANT_TENSOR_ALIGNMENT = 16
_HEADER_BYTEORDER: Literal["little"] = "little"


@dataclass
class XNNHeader:
    """Where the graph and the constants of a blob lie, in bytes from its begin.

    Attributes:
        flatbuffer_offset, flatbuffer_size: of the graph.
        constant_data_offset, constant_data_size: of the constants.
    """

    flatbuffer_offset: int
    flatbuffer_size: int
    constant_data_offset: int
    constant_data_size: int

    EXPECTED_MAGIC: ClassVar[bytes] = MAGIC
    EXPECTED_LENGTH: ClassVar[int] = HEADER.size
    MAGIC_OFFSET: ClassVar[slice] = slice(4, 8)
    HEADER_SIZE_OFFSET: ClassVar[slice] = slice(8, 10)
    FLATBUFFER_OFFSET_OFFSET: ClassVar[slice] = slice(10, 14)
    FLATBUFFER_SIZE_OFFSET: ClassVar[slice] = slice(14, 18)
    CONSTANT_DATA_OFFSET_OFFSET: ClassVar[slice] = slice(18, 22)
    CONSTANT_DATA_SIZE_OFFSET: ClassVar[slice] = slice(22, 30)

    @staticmethod
    def from_bytes(data: bytes) -> XNNHeader:
        """Reads a header.

        Raises:
            ValueError: these are not as many bytes as a header has, or no header.
        """
        if len(data) > HEADER.size:
            raise ValueError(f"Invalid XNNHeader: expected no more than {HEADER.size} bytes, got {len(data)}")
        if len(data) < HEADER.size:
            raise ValueError(
                f"Invalid XNNHeader: Invalid parsed length: data given was {len(data)} bytes, "
                f"a header has {HEADER.size} bytes"
            )
        magic, length, *places = HEADER.unpack(data)
        if magic != MAGIC:
            raise ValueError(f"Invalid XNNHeader: invalid magic bytes {magic!r}, expected {MAGIC!r}")
        if length != HEADER.size:
            raise ValueError(
                f"Invalid XNNHeader: Invalid parsed length: data given was {HEADER.size} bytes, "
                f"parsed length was {length} bytes"
            )
        return XNNHeader(*places)

    def is_valid(self) -> bool:
        """Whether the graph is not empty and lies before the constants."""
        return (
            self.flatbuffer_size > 0
            and self.constant_data_offset >= self.flatbuffer_offset + self.flatbuffer_size
            and self.constant_data_size >= 0
        )

    def to_bytes(self) -> bytes:
        """The header as it stands in a blob.

        Raises:
            ValueError: it is not valid.
        """
        if not self.is_valid():
            raise ValueError(
                "Invalid XNNHeader: header failed is_valid() check: the graph is empty or overlaps the constants"
            )
        places = (self.flatbuffer_offset, self.flatbuffer_size)
        return HEADER.pack(MAGIC, HEADER.size, *places, self.constant_data_offset, self.constant_data_size)


def _padding_required(offset: int, alignment: int) -> int:
    """Bytes from ``offset`` to the next multiple of ``alignment``."""
    return -offset % alignment


def _aligned_size(input_size: int, alignment: int) -> int:
    """``input_size`` rounded up to a multiple of ``alignment``."""
    return input_size + _padding_required(input_size, alignment)


def _pad_to(data: bytes, length: int) -> bytes:
    """``data`` with zeros behind it, ``length`` bytes in all.

    Raises:
        ValueError: it is longer.
    """
    if len(data) > length:
        raise ValueError(f"Data length {len(data)} > padded length {length}")
    return data.ljust(length, b"\0")


def _flatc_compile(output_dir: str, schema_path: str, json_path: str) -> None:
    """Compiles a graph's JSON with the ``flatc`` on the path, for tools that hold one; blobs are written without it."""
    subprocess.run(["flatc", "--binary", "-o", output_dir, schema_path, json_path], check=True)


def convert_to_flatbuffer(xnnpack_graph: XNNGraph) -> bytes:
    """The graph as flatbuffer, without header and constants."""
    return write_xnngraph(xnnpack_graph).tobytes()


def serialize_xnnpack_binary(xnnpack_graph: XNNGraph, constant_data_bytes: bytearray) -> bytes:
    """The blob of a graph with its constants."""
    return pack(xnnpack_graph, bytes(constant_data_bytes))
