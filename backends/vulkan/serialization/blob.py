"""The blob of a delegate: a header and the graph's flatbuffer; ``schema.fbs`` has the layout."""

from __future__ import annotations

import struct
from typing import Any

from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.schema import VkGraph, read_vk_graph, write_vk_graph
from executorch.schema.wire import FormatError, padding

#: Bytes 0-3 are zero; then the magic, the header's own length, where the flatbuffer and the constants lie.
HEADER = struct.Struct("<4x4sHIIIQ")
MAGIC = b"VH00"
#: ``VkBytes.offset`` of a constant that lies in the program's named data.
NAMED = 2**64 - 1
#: ``VkGraph.version``.
VERSION = "0"
#: Of what lies behind the graph.
ALIGNMENT = 16
_FLATBUFFER_OFFSET = 32


def pack(graph: VkGraph, constants: bytes = b"") -> bytes:
    """The blob of a graph. Constants that are not the program's named data lie behind it."""
    flatbuffer = write_vk_graph(graph).tobytes()
    end = _FLATBUFFER_OFFSET + len(flatbuffer)
    gap = padding(end, ALIGNMENT)
    header = HEADER.pack(MAGIC, HEADER.size, _FLATBUFFER_OFFSET, len(flatbuffer), end + gap, len(constants))
    return header.ljust(_FLATBUFFER_OFFSET, b"\0") + flatbuffer + bytes(gap) + constants


def unpack(blob: bytes) -> VkGraph:
    """The graph of a blob, with references that lead somewhere.

    Raises:
        FormatError: it is no such blob, is cut off, or refers to what is not there.
    """
    if len(blob) < HEADER.size or blob[4:8] != MAGIC:
        raise FormatError(f"{len(blob)} bytes that begin with {blob[:8]!r} are no blob of the Vulkan backend")
    _, _, offset, size, _, _ = HEADER.unpack_from(blob)
    if offset + size > len(blob):
        raise FormatError(f"the graph of the delegate ends at byte {offset + size} of {len(blob)}")
    graph = read_vk_graph(blob[offset : offset + size])
    _check(graph)
    return graph


def _check(graph: VkGraph) -> None:
    if graph.version != VERSION:
        raise FormatError(f"the graph has version {graph.version!r} of its format, not {VERSION!r}")
    referred = [("input", graph.input_ids), ("output", graph.output_ids)]
    referred += [(call.name, call.args) for call in graph.chain]
    for number, value in enumerate(graph.values):
        held: Any = value.value
        if isinstance(held, schema.ValueList):
            referred.append((f"list {number}", held.items))
        if isinstance(held, schema.VkTensor) and held.constant_id >= len(graph.constants):
            raise FormatError(f"tensor {number} is constant {held.constant_id} of {len(graph.constants)}")
    for name, ids in referred:
        for one in ids:
            if not 0 <= one < len(graph.values):
                raise FormatError(f"{name} refers to value {one} of {len(graph.values)}")
