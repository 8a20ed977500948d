"""The documented path writes and reads the emitter's files."""

import pathlib
import re

import pytest

from executorch import emitter
from executorch.extension.flat_tensor.serialize import serialize
from executorch.extension.flat_tensor.serialize.flat_tensor_schema import ScalarType, TensorLayout
from executorch.extension.flat_tensor.serialize.serialize import (
    DataEntry,
    DataPayload,
    FlatTensorConfig,
    FlatTensorHeader,
    FlatTensorSerializer,
)


def test_a_file_goes_there_and_back():
    layout = TensorLayout(ScalarType.FLOAT, [2, 2], [0, 1])
    payload = DataPayload([b"w" * 16, b"blob"], {"w": DataEntry(0, 16, layout), "b": DataEntry(1, 1, None)})
    file = FlatTensorSerializer(FlatTensorConfig(segment_alignment=64)).serialize(payload)
    data = bytes(file)
    assert FlatTensorHeader.from_file(data).segment_base_offset % 64 == 0
    found = FlatTensorSerializer().deserialize(data)
    assert {key: bytes(found.buffers[entry.buffer_index]) for key, entry in found.named_data.items()} == {
        "w": b"w" * 16,
        "b": b"blob",
    }
    assert found.named_data["w"].tensor_layout == layout
    with pytest.raises(ValueError, match="power of two"):
        FlatTensorSerializer(FlatTensorConfig(tensor_alignment=3))


def test_headers_are_read_whether_right_or_wrong():
    header = FlatTensorHeader(48, 100, 256, 16)
    data = header.to_bytes()
    assert FlatTensorHeader.from_bytes(data) == header and header.is_valid()
    assert not FlatTensorHeader.from_bytes(b"FH99" + data[4:]).is_valid()
    with pytest.raises(ValueError, match="39 < 40 bytes"):
        FlatTensorHeader.from_bytes(data[:39])


def test_the_tables_of_a_file_can_be_looked_at():
    file = bytes(FlatTensorSerializer().serialize(DataPayload([b"x" * 5], {"x": DataEntry(0, 1, None)})))
    header = serialize._get_extended_header(file)
    assert header == FlatTensorHeader.from_file(file)
    tables = serialize._deserialize_to_flat_tensor(file[: header.flatbuffer_offset + header.flatbuffer_size])
    assert tables.version == serialize._FLAT_TENSOR_VERSION
    assert [(item.key, tables.segments[item.segment_index].size) for item in tables.named_data] == [("x", 5)]
    assert serialize._deserialize_to_flat_tensor(bytes(serialize._serialize_to_flatbuffer(tables))) == tables
    assert serialize._get_extended_header(b"short") is None


def test_it_is_the_emitters():
    assert issubclass(FlatTensorSerializer, emitter.FlatTensorSerializer)


def test_a_file_becomes_named_data_with_a_tag():
    payload = DataPayload([b"w" * 16], {"w": DataEntry(0, 16, None)})
    blob = bytes(FlatTensorSerializer().serialize(payload))
    output = FlatTensorSerializer().deserialize_to_named_data_store_output(blob, "weights")
    assert output.buffers == [b"w" * 16] and output.pte_data == {}
    assert output.external_data == {"weights": {"w": DataEntry(0, 1, None)}}


def test_files_of_later_releases_are_refused_as_such(monkeypatch):
    payload = DataPayload([b"x"], {"x": DataEntry(0, 1, None)})
    with monkeypatch.context() as later:
        later.setattr(serialize, "_FLAT_TENSOR_VERSION", 9)  # as published tests do
        file = bytes(FlatTensorSerializer().serialize(payload))
    with pytest.raises(NotImplementedError, match="version 9"):
        FlatTensorSerializer().deserialize(file)
    with pytest.raises(serialize.FormatError) as cut_off:
        FlatTensorSerializer().deserialize(file[:60])
    assert not isinstance(cut_off.value, NotImplementedError)


def test_the_example_of_the_readme_runs():
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
