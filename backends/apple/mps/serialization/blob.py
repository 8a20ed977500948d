"""The blob of a delegate: a header, the graph's flatbuffer, the constants; ``schema.fbs`` has the layout."""

from __future__ import annotations

import struct
from dataclasses import fields
from typing import Any

from executorch.backends.apple.mps.serialization.schema import MPSGraph, read_mpsgraph, write_mpsgraph
from executorch.schema.wire import FormatError, padding

#: Zeros, the magic, where constants begin, how many bytes they have.
HEADER = struct.Struct("<4x4sQQ")
MAGIC = b"MP00"
#: ``MPSGraph.version``.
VERSION = "0"
_ALIGNMENT = 16


def pack(graph: MPSGraph, constants: bytes) -> bytes:
    """The blob of a graph and of the bytes that its constants refer to."""
    flatbuffer = write_mpsgraph(graph).tobytes()
    gap = padding(HEADER.size + len(flatbuffer), _ALIGNMENT)
    header = HEADER.pack(MAGIC, HEADER.size + len(flatbuffer) + gap, len(constants))
    return header + flatbuffer + bytes(gap) + constants


def unpack(blob: bytes) -> tuple[MPSGraph, memoryview]:
    """The graph of a blob, with references that lead somewhere, and the constants.

    Raises:
        FormatError: it is no such blob, is cut off, or refers to what is not there.
    """
    if len(blob) < HEADER.size or blob[4:8] != MAGIC:
        raise FormatError(f"{len(blob)} bytes that begin with {blob[:8]!r} are no blob of the MPS backend")
    _, begin, size = HEADER.unpack_from(blob)
    if begin < HEADER.size or begin + size > len(blob):
        raise FormatError(f"the delegate's constants lie at bytes {begin} to {begin + size} of {len(blob)}")
    graph = read_mpsgraph(blob[HEADER.size : begin])
    _check(graph, size)
    return graph, memoryview(blob)[begin : begin + size]


def ids(node: Any) -> tuple[list[int], list[int]]:
    """What a node of the graph reads and what it makes; operands that are not there are left out."""
    read: list[int] = []
    made: list[int] = []
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name.startswith("output") and field.name.rstrip("s").endswith("_id"):
            made += value if isinstance(value, list) else [value]
        elif field.name.endswith(("_id", "_ids", "indices_id")):
            read += value if isinstance(value, list) else [value]
    return [one for one in read if one != -1], [one for one in made if one != -1]


def _check(graph: MPSGraph, size: int) -> None:
    if graph.version != VERSION:
        raise FormatError(f"the graph has version {graph.version!r} of its format, not {VERSION!r}")
    count = len(graph.mps_values)
    referred = [
        ("input", graph.input_ids),
        ("output", graph.output_ids),
        ("constant", graph.constant_ids),
    ]
    for step, node in enumerate(graph.mps_nodes):
        if node.mpsnode_union is None:
            raise FormatError(f"node {step} has no operator")
        read, made = ids(node.mpsnode_union)
        referred.append((f"node {step}, {type(node.mpsnode_union).__name__},", read + made))
    for name, numbers in referred:
        for one in numbers:
            if not 0 <= one < count:
                raise FormatError(f"{name} refers to value {one} of {count}")
    for number in graph.constant_ids:
        value = graph.mps_values[number]
        if value.segment_offset + value.constant_buffer_size > size:
            raise FormatError(
                f"constant {number} ends at byte {value.segment_offset + value.constant_buffer_size} of {size}"
            )
