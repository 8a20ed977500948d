"""`.ptd` files: layout, shared segments, round trips, and files that lie."""

import pytest

from executorch.emitter.flat_tensor import FlatTensorConfig, FlatTensorSerializer
from executorch.emitter.headers import FlatTensorHeader
from executorch.emitter.named_data import DataCollector, DataEntry, DataPayload
from executorch.schema import flat_tensor as schema
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.scalar_type import ScalarType
from executorch.schema.wire import FormatError

LAYOUT = TensorLayout(ScalarType.FLOAT, [2, 3], [0, 1])


def payload():
    return DataPayload(
        buffers=[b"w" * 24, b"blob"],
        named_data={"weight": DataEntry(0, 16, LAYOUT), "alias": DataEntry(0, 64), "opaque": DataEntry(1, 1)},
    )


def test_the_layout_is_the_documented_one():
    data = bytes(FlatTensorSerializer().serialize(payload()))
    header = FlatTensorHeader.from_file(data)
    assert data[4:8] == b"FT01"
    assert header.flatbuffer_offset == 48
    assert header.segment_base_offset % 128 == 0
    assert header.segment_base_offset + header.segment_data_size == len(data)
    root = schema.read_flat_tensor(data[: header.flatbuffer_offset + header.flatbuffer_size])
    assert [(segment.offset, segment.size) for segment in root.segments] == [(0, 24), (128, 4)]
    assert [(item.key, item.segment_index) for item in root.named_data] == [
        ("weight", 0),
        ("alias", 0),
        ("opaque", 1),
    ]
    assert root.named_data[0].tensor_layout == LAYOUT
    assert root.named_data[2].tensor_layout is None
    assert data[header.segment_base_offset + 128 :] == b"blob"


def test_what_is_read_can_be_written_back():
    writer = FlatTensorSerializer()
    data = bytes(writer.serialize(payload()))
    found = writer.deserialize(data)
    assert [bytes(buffer) for buffer in found.buffers] == [b"w" * 24, b"blob"]
    assert found.named_data["weight"].tensor_layout == LAYOUT
    assert bytes(writer.serialize(found)) == data


def test_buffers_without_a_name_are_left_out():
    found = DataPayload([b"unused", b"used"], {"k": DataEntry(1)})
    writer = FlatTensorSerializer()
    assert [bytes(buffer) for buffer in writer.deserialize(writer.serialize(found)).buffers] == [b"used"]


def test_alignments():
    config = FlatTensorConfig(tensor_alignment=256, segment_alignment=16)
    data = bytes(FlatTensorSerializer(config).serialize(payload()))
    header = FlatTensorHeader.from_file(data)
    root = schema.read_flat_tensor(data)
    assert all((header.segment_base_offset + segment.offset) % 256 == 0 for segment in root.segments)
    with pytest.raises(ValueError, match="tensor_alignment must be a power of two"):
        FlatTensorSerializer(FlatTensorConfig(tensor_alignment=3))


def test_no_data_at_all():
    writer = FlatTensorSerializer()
    data = bytes(writer.serialize(DataPayload()))
    assert writer.deserialize(data) == DataPayload()


def test_truncated_files_are_refused_everywhere():
    data = bytes(FlatTensorSerializer().serialize(payload()))
    for length in range(len(data)):
        with pytest.raises(FormatError):
            FlatTensorSerializer().deserialize(data[:length])


def test_a_collector_stores_equal_bytes_once():
    collector = DataCollector()
    collector.add("a", b"same", 4)
    collector.add("b", b"same", 8)
    collector.add("a", b"same", 16, LAYOUT)
    assert collector.payload.buffers == [b"same"]
    assert collector.payload.named_data == {"a": DataEntry(0, 16, LAYOUT), "b": DataEntry(0, 8)}
    with pytest.raises(ValueError, match="two different data have the name 'a'"):
        collector.add("a", b"other")


def test_files_of_a_newer_format_are_refused(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("executorch.emitter.flat_tensor.FORMAT_VERSION", 1)
        data = bytes(FlatTensorSerializer().serialize(payload()))
        assert FlatTensorSerializer().deserialize(data).named_data.keys() == payload().named_data.keys()
    for kind in (ValueError, NotImplementedError):
        with pytest.raises(kind, match="version 1 of the format, newer than 0"):
            FlatTensorSerializer().deserialize(data)
