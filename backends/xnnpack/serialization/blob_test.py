"""Blobs: what is packed is unpacked, and what is damaged is refused."""

import struct

import pytest

from executorch.backends.xnnpack.serialization import schema
from executorch.backends.xnnpack.serialization.blob import pack, unpack
from executorch.backends.xnnpack.serialization.xnnpack_graph_schema import XNNNode2x1
from executorch.backends.xnnpack.serialization.xnnpack_graph_serialize import (
    XNNHeader,
    serialize_xnnpack_binary,
)
from executorch.schema.wire import FormatError


def example() -> schema.XNNGraph:
    tensor = schema.XNNTensorValue(
        datatype=schema.XNNDatatype.xnn_datatype_fp32, num_dims=1, dims=[4], external_id=0, flags=1
    )
    node = schema.XNNAdd(input1_id=0, input2_id=0, output_id=1)
    limits = schema.OutputMinMax(output_min=0.0, output_max=6.0)
    return schema.XNNGraph(
        version="0",
        xnodes=[schema.XNode(xnode_union=node, debug_handle=7, output_min_max=limits)],
        xvalues=[schema.XValue(xvalue_union=tensor)],
        num_externs=1,
        input_ids=[0],
        constant_data=[schema.ConstantDataOffset(offset=0, size=0, named_key="")],
    )


def test_round_trip():
    graph, constants = unpack(pack(example(), b"weights"))
    assert graph == example()
    assert type(graph.xnodes[0].xnode_union) is schema.XNNAdd
    assert constants == b"weights"


def test_header():
    blob = pack(example(), b"weights")
    magic, length, offset, size, constants, constants_size = struct.unpack_from("<4x4sHIIIQ", blob)
    assert (magic, length, offset) == (b"XH00", 30, 32)
    assert blob[offset + 4 : offset + 8] == b"XN01"
    assert constants % 16 == 0 and constants >= offset + size
    assert blob[constants:] == b"weights" and constants_size == 7


@pytest.mark.parametrize("length", [10, 31, 60])
def test_cut_off(length):
    with pytest.raises(FormatError):
        unpack(pack(example(), b"weights")[:length])


def test_a_blob_without_header_is_the_graph():
    blob = pack(example())
    _, _, offset, size, _, _ = struct.unpack_from("<4x4sHIIIQ", blob)
    assert unpack(blob[offset : offset + size]) == (example(), b"")


def test_published_names():
    blob = serialize_xnnpack_binary(example(), bytearray(b"weights"))
    assert blob == pack(example(), b"weights")
    header = XNNHeader.from_bytes(blob[:30])
    assert header.to_bytes() == blob[:30] and header.constant_data_size == 7
    assert isinstance(example().xnodes[0].xnode_union, XNNNode2x1)


@pytest.mark.parametrize(("begin", "end", "new"), [(4, 8, b"XH99"), (8, 10, b"\x11\x00")])
def test_a_damaged_header(begin, end, new):
    data = bytearray(pack(example())[:30])
    data[begin:end] = new
    with pytest.raises(ValueError, match="XNNHeader"):
        XNNHeader.from_bytes(bytes(data))
