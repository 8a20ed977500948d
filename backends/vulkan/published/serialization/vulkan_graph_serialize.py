"""Blobs of delegates, under the path and with the names of released ExecuTorch 1.x; see ``blob.py``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch

from executorch.backends.vulkan.serialization.blob import ALIGNMENT, HEADER, MAGIC, pack
from executorch.backends.vulkan.serialization.schema import VkBytes, VkGraph, read_vk_graph, write_vk_graph
from executorch.schema.wire import padding


@dataclass
class VulkanDelegateHeader:
    """Where the graph and the constants of a blob lie, in bytes from its begin.

    Attributes:
        flatbuffer_offset, flatbuffer_size: of the graph.
        bytes_offset, bytes_size: of constants and shaders.
    """

    flatbuffer_offset: int
    flatbuffer_size: int
    bytes_offset: int
    bytes_size: int

    EXPECTED_MAGIC: ClassVar[bytes] = MAGIC
    EXPECTED_LENGTH: ClassVar[int] = HEADER.size
    MAGIC_IX: ClassVar[slice] = slice(4, 8)
    HEADER_SIZE_IX: ClassVar[slice] = slice(8, 10)
    FLATBUFFER_OFFSET_IX: ClassVar[slice] = slice(10, 14)
    FLATBUFFER_SIZE_IX: ClassVar[slice] = slice(14, 18)
    BYTES_OFFSET_IX: ClassVar[slice] = slice(18, 22)
    BYTES_SIZE_IX: ClassVar[slice] = slice(22, 30)

    @staticmethod
    def from_bytes(data: bytes) -> VulkanDelegateHeader:
        """Reads a header.

        Raises:
            ValueError: these are not as many bytes as a header has, or no header.
        """
        length = int.from_bytes(data[VulkanDelegateHeader.HEADER_SIZE_IX], "little")
        if len(data) != HEADER.size or length != HEADER.size:
            wrong = len(data) if len(data) != HEADER.size else length
            raise ValueError(f"Expected header to be {HEADER.size} bytes, but got {wrong} bytes.")
        magic, _, *places = HEADER.unpack(data)
        if magic != MAGIC:
            raise ValueError(f"Expected magic bytes to be {MAGIC!r}, but got {magic!r}")
        return VulkanDelegateHeader(*places)

    def is_valid(self) -> bool:
        """Whether there is a graph, and what belongs to it comes behind."""
        return self.flatbuffer_size > 0 and self.bytes_offset >= self.flatbuffer_offset + self.flatbuffer_size

    def to_bytes(self) -> bytes:
        """The header.

        Raises:
            ValueError: there is no graph, or the constants begin before its end.
        """
        if not self.is_valid():
            raise ValueError(
                f"a header of {self} is not valid. Way out: a graph of more than no bytes, and constants behind it"
            )
        return HEADER.pack(
            MAGIC,
            HEADER.size,
            self.flatbuffer_offset,
            self.flatbuffer_size,
            self.bytes_offset,
            self.bytes_size,
        )


def convert_to_flatbuffer(vk_graph: VkGraph) -> bytes:
    """The graph's flatbuffer."""
    return write_vk_graph(vk_graph).tobytes()


def flatbuffer_to_vk_graph(flatbuffers: bytes) -> VkGraph:
    """What :func:`convert_to_flatbuffer` wrote."""
    return read_vk_graph(flatbuffers)


def serialize_vulkan_graph(
    vk_graph: VkGraph, const_tensors: Sequence[torch.Tensor], custom_shaders: Sequence[str | bytes]
) -> bytes:
    """A blob with constants and shaders behind the graph, which then says where they lie."""
    payload = bytearray()

    def put(data: bytes) -> VkBytes:
        place = VkBytes(offset=len(payload), length=len(data))
        payload.extend(data)
        payload.extend(bytes(padding(len(payload), ALIGNMENT)))
        return place

    for tensor in const_tensors:
        storage = tensor.detach().cpu().contiguous().untyped_storage()
        vk_graph.constants.append(put(ctypes.string_at(storage.data_ptr(), storage.nbytes())))
    for shader in custom_shaders:
        vk_graph.shaders.append(put(shader.encode() if isinstance(shader, str) else shader))
    return pack(vk_graph, bytes(payload))
