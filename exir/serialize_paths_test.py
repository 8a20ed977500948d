"""The documented functions for files, by their documented names."""

import io
import struct

import pytest
import torch

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir import _serialize as front
from executorch.exir._serialize import _program, padding
from executorch.exir._serialize._named_data_store import NamedDataStore
from executorch.exir._serialize._serialize import serialize_for_executorch
from executorch.exir._serialize.data_serializer import DataEntry, DataPayload, DataSerializer
from executorch.exir.schema import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    DataLocation,
)


@pytest.fixture(scope="module")
def manager():
    module = torch.nn.Linear(4, 3)
    return to_edge(torch.export.export(module, (torch.ones(2, 4),))).to_executorch()


def test_old_names_are_the_same_functions(manager):
    assert front._serialize_pte_binary is front.serialize_pte_binary is _program.serialize_pte_binary
    found = front._deserialize_pte_binary(manager.buffer)
    assert isinstance(found, front._PTEFile)
    file = io.BytesIO()
    front._serialize_pte_binary(found, extract_delegate_segments=True).write_to_file(file)
    assert file.getvalue() == manager.buffer


def test_the_header_as_plain_fields(manager):
    header = _program._get_extended_header(manager.buffer)
    assert header.is_valid() and header.magic == b"eh00" and header.length == 32
    assert header.segment_base_offset + header.segment_data_size == len(manager.buffer)
    assert manager.buffer[8:40] == header.to_bytes()
    assert _program._ExtendedHeader.from_bytes(header.to_bytes()) == header
    assert _program._get_extended_header(b"x" * 100) is _program._get_extended_header(b"") is None
    with pytest.raises(ValueError, match="Not enough data"):
        _program._ExtendedHeader.from_bytes(b"eh00")
    assert _program._ExtendedHeader(1, 2, 3, magic=b"eh99", length=7).to_bytes()[:8] == b"eh00 \0\0\0"
    shorter = struct.pack("<4sI3Q", b"eh00", 24, 1, 2, 3)
    assert _program._ExtendedHeader.from_bytes(shorter) == _program._ExtendedHeader(1, 2, 0, length=24)


def test_the_flatbuffer_alone(manager):
    found = front.deserialize_pte_binary(manager.buffer).program
    result = _program._program_to_flatbuffer(found, constant_tensor_alignment=64)
    assert result.max_alignment == 64
    assert _program._flatbuffer_to_program(result.data) == found


@pytest.mark.parametrize("in_segments", [False, True])
def test_payloads_of_delegates(manager, in_segments):
    found = front.deserialize_pte_binary(manager.buffer)
    (plan,) = found.program.execution_plan
    found.program.backend_delegate_data = [BackendDelegateInlineData(text) for text in (b"one", b"two")]
    plan.delegates = [
        BackendDelegate(name, BackendDelegateDataReference(DataLocation.INLINE, index))
        for index, name in enumerate(["MyBackend", "OtherBackend"])
    ]
    data = bytes(front.serialize_pte_binary(found, extract_delegate_segments=in_segments))
    assert _program._extract_delegate_payload(data, "my") == b"one"
    assert _program._extract_delegate_payload(data, "backend", 1) == b"two"
    assert _program._extract_delegate_payload(data, "backend", 2) is None


def test_the_output_of_a_named_data_store_is_data_of_a_file(manager):
    store = NamedDataStore()
    store.add_named_data("key", b"content", alignment=64)
    found = front.deserialize_pte_binary(manager.buffer)
    found.named_data = store.get_named_data_store_output()
    again = front.deserialize_pte_binary(bytes(front.serialize_pte_binary(found)))
    assert {
        key: bytes(again.named_data.buffers[e.buffer_index]) for key, e in again.named_data.pte_data.items()
    } == {"key": b"content"}


def test_another_format_for_data_files(manager):
    class Text(DataSerializer):
        def serialize(self, data):
            lines = [key.encode() + b"=" + data.buffers[e.buffer_index] for key, e in data.named_data.items()]
            return front.Cord(b";".join(lines))

        def deserialize(self, blob):
            payload = DataPayload()
            for index, line in enumerate(bytes(blob).split(b";")):
                key, _, content = line.partition(b"=")
                payload.buffers.append(content)
                payload.named_data[key.decode()] = DataEntry(index, 1, None)
            return payload

    store = NamedDataStore()
    store.add_named_data("a", b"1", external_tag="file")
    store.add_named_data("b", b"2", external_tag="file")
    output = store.get_named_data_store_output()
    pte, files = serialize_for_executorch(manager._emitter_output, ExecutorchBackendConfig(), Text(), output)
    assert bytes(pte) == manager.buffer and list(files) == ["file"]
    found = Text().deserialize(files["file"])
    assert found.buffers == [b"1", b"2"] and list(found.named_data) == ["a", "b"]
    with pytest.raises(TypeError):
        DataSerializer()


def test_padding():
    assert (padding.aligned_size(5, 4), padding.padding_required(5, 4), padding.padding_required(8, 4)) == (
        8,
        3,
        0,
    )
    assert padding.pad_to(b"abc", 5) == b"abc\0\0"
    with pytest.raises(ValueError, match="3 > padded length 2"):
        padding.pad_to(b"abc", 2)
