"""`.pte` files: layout, alignment, round trips, determinism, and files that lie."""

import contextlib
import copy
import math
import struct
import tracemalloc
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.emitter import pte_file
from executorch.emitter.headers import ExtendedHeader
from executorch.emitter.named_data import DataEntry, DataPayload
from executorch.emitter.pte_file import PTEFile, deserialize_pte_binary, serialize_pte_binary
from executorch.schema import program as schema
from executorch.schema.program import (
    BackendDelegate,
    BackendDelegateDataReference,
    BackendDelegateInlineData,
    Buffer,
    DataLocation,
    EValue,
    ExecutionPlan,
    Int,
    Program,
)
from executorch.schema.wire import FormatError, NewerFormatError


def pte(constants=(), states=(), blobs=(), named=(), uses=None):
    """A file; `uses` gives the blob of each delegate."""
    delegates = [
        BackendDelegate(f"B{i}", BackendDelegateDataReference(DataLocation.INLINE, index))
        for i, index in enumerate(range(len(blobs)) if uses is None else uses)
    ]
    program = Program(
        execution_plan=[ExecutionPlan(name="forward", delegates=delegates, non_const_buffer_sizes=[0])],
        constant_buffer=[Buffer(), *map(Buffer, constants)],
        backend_delegate_data=[BackendDelegateInlineData(blob) for blob in blobs],
    )
    mutable = [Buffer(), *map(Buffer, states)] if states else None
    payload = None
    if named:
        payload = DataPayload([data for data, _ in named], {})
        for index, (_, entries) in enumerate(named):
            payload.named_data.update(
                {key: DataEntry(index, alignment) for key, alignment in entries.items()}
            )
    return PTEFile(program, mutable, payload)


def segments(data):
    """(alignment-independent) bytes of each segment, read with nothing but the documented layout."""
    if data[8:12] != b"eh00":
        return [b"" for _ in schema.read_program(data).segments]
    base = struct.unpack_from("<Q", data, 24)[0]
    return [data[base + s.offset : base + s.offset + s.size] for s in schema.read_program(data).segments]


@pytest.mark.parametrize("constants", [(), (b"12345678",)])
def test_programs_of_a_newer_schema_are_neither_read_nor_written(constants):
    file = pte(constants)
    file.program.version = 1
    with pytest.raises(NewerFormatError, match="version 1 of the format, newer than 0"):
        serialize_pte_binary(file)
    with mock.patch.object(pte_file, "SCHEMA_VERSION", 1):
        data = serialize_pte_binary(file).tobytes()
    with pytest.raises(NotImplementedError, match="version 1 of the format, newer than 0"):
        deserialize_pte_binary(data)


def test_a_program_without_data_has_no_header():
    data = bytes(serialize_pte_binary(pte()))
    assert data[4:8] == b"ET12"
    assert ExtendedHeader.from_file(data) is None
    program = schema.read_program(data)
    # One empty segment: the constants, of which there is only the placeholder.
    assert program.constant_segment.offsets == [0]
    assert [(segment.offset, segment.size) for segment in program.segments] == [(0, 0)]


def test_the_layout_is_the_documented_one():
    data = bytes(serialize_pte_binary(pte(constants=[b"a" * 5, b"b" * 20])))
    header = ExtendedHeader.from_file(data)
    assert header.segment_base_offset % 128 == 0 and header.segment_base_offset >= header.program_size
    assert header.segment_base_offset + header.segment_data_size == len(data)
    assert data[40:40] == b"" and struct.unpack_from("<I", data, 12)[0] == 32
    program = schema.read_program(data[: header.program_size])
    assert program.constant_segment.offsets == [0, 0, 16]
    assert segments(data) == [b"a" * 5 + bytes(11) + b"b" * 20]
    assert not any(data[header.program_size : header.segment_base_offset])


def test_segments_come_in_the_documented_order():
    file = pte(
        constants=[b"c"], states=[b"mm", b"m"], blobs=[b"one", b"two"], named=[(b"n", {"k": 1, "j": 1})]
    )
    data = bytes(serialize_pte_binary(file, extract_delegate_segments=True))
    program = schema.read_program(data)
    assert segments(data) == [b"c", b"mmm", b"one", b"two", b"n"]
    assert program.mutable_data_segments[0].offsets == [0, 0, 2]
    places = [delegate.processed for delegate in program.execution_plan[0].delegates]
    assert places == [BackendDelegateDataReference(DataLocation.SEGMENT, i) for i in (2, 3)]
    assert [(item.key, item.segment_index) for item in program.named_data] == [("k", 4), ("j", 4)]


def test_named_data_that_a_constant_has_too_is_stored_once():
    tied, alone, small = bytes(range(256)) * 4, bytes(1024), b"1234"
    file = pte(
        constants=[b"abc", tied, small, b"def"],
        named=[(alone, {"alone": 16}), (tied, {"tied": 32}), (small, {"small": 4})],
    )
    data = bytes(serialize_pte_binary(file))
    constants, *named = segments(data)
    assert named == [alone, tied, small]
    ranges = schema.read_program(data).segments
    assert ranges[2].offset - ranges[0].offset == constants.index(tied)
    assert ranges[2].offset % 128 == 0 and data.count(tied) == 1
    # A gap for the alignment would cost more than a second copy.
    assert ranges[3].offset >= ranges[0].offset + ranges[0].size
    read = deserialize_pte_binary(data)
    assert read.program.constant_buffer[2].storage[: len(tied)] == tied
    assert read.named_data.buffers == [alone, tied, small]
    assert bytes(serialize_pte_binary(read)) == data


@pytest.mark.parametrize("alignment", [1, 48, 1024])
def test_named_data_within_constants_keeps_its_alignment(alignment):
    tied = bytes(range(256)) * 64
    file = pte(constants=[b"abc", tied], named=[(tied, {"first": 3}), (tied, {"second": 80})])
    data = bytes(serialize_pte_binary(file, segment_alignment=alignment))
    base = struct.unpack_from("<Q", data, 24)[0]
    _, first, second = schema.read_program(data).segments
    assert data[base + first.offset :][: first.size] == tied and (base + first.offset) % 3 == 0
    assert first == second and (base + second.offset) % math.lcm(80, alignment) == 0
    assert data.count(tied) == 1


def test_delegates_can_stay_in_the_flatbuffer():
    data = bytes(serialize_pte_binary(pte(blobs=[b"blob"]), delegate_alignment=64))
    program = schema.read_program(data)
    assert program.execution_plan[0].delegates[0].processed.location == DataLocation.INLINE
    assert program.backend_delegate_data[0].data == b"blob"
    assert data.index(b"blob") % 64 == 0


def test_equal_blobs_share_a_segment_and_empty_ones_stay():
    file = pte(blobs=[b"same", b"", b"same", b"other"])
    program = schema.read_program(bytes(serialize_pte_binary(file, extract_delegate_segments=True)))
    places = [(d.processed.location, d.processed.index) for d in program.execution_plan[0].delegates]
    segment, inline = DataLocation.SEGMENT, DataLocation.INLINE
    assert places == [(segment, 1), (inline, 0), (segment, 1), (segment, 2)]
    assert len(program.backend_delegate_data) == 1


@pytest.mark.parametrize("alignment", [1, 16, 4096])
def test_alignments_are_kept_in_the_file(alignment):
    file = pte(constants=[b"c" * 3, b"d" * 3], blobs=[b"blob"], named=[(b"name", {"k": 512})])
    data = bytes(
        serialize_pte_binary(
            file,
            extract_delegate_segments=True,
            segment_alignment=alignment,
            constant_tensor_alignment=alignment,
            delegate_alignment=alignment,
        )
    )
    header = ExtendedHeader.from_file(data)
    program = schema.read_program(data)
    for segment in program.segments:
        assert (header.segment_base_offset + segment.offset) % alignment == 0
    assert program.constant_segment.offsets[2] % alignment == 0
    named = program.segments[program.named_data[0].segment_index]
    assert (header.segment_base_offset + named.offset) % max(alignment, 512) == 0
    again = bytes(serialize_pte_binary(deserialize_pte_binary(data), extract_delegate_segments=True))
    assert segments(again)[-1] == b"name"


@pytest.mark.parametrize("name", ["constant_tensor_alignment", "delegate_alignment"])
def test_alignments_are_powers_of_two(name):
    with pytest.raises(ValueError, match=f"{name} must be a power of two, got 24"):
        serialize_pte_binary(pte(), **{name: 24})


def test_segments_may_lie_at_multiples_of_any_size():
    data = bytes(serialize_pte_binary(pte(named=[(b"abcde", {"k": 4})]), segment_alignment=12))
    assert segments(data)[-1] == b"abcde" and ExtendedHeader.from_file(data).segment_base_offset % 12 == 0
    with pytest.raises(ValueError, match="segment_alignment must be at least 1 byte, got 0"):
        serialize_pte_binary(pte(), segment_alignment=0)


def test_a_blob_without_a_delegate_gets_no_segment():
    file = pte(blobs=[b"x"])
    file.program.backend_delegate_data.append(BackendDelegateInlineData(b"stray"))
    with pytest.raises(FormatError, match=r"no delegate has the blobs \[1\]"):
        serialize_pte_binary(file, extract_delegate_segments=True)


def test_what_is_read_owns_its_bytes_unless_views_are_asked_for():
    data = bytes(serialize_pte_binary(pte(constants=[b"c" * 16], blobs=[b"x"], named=[(b"n", {"k": 16})])))
    again = copy.deepcopy(deserialize_pte_binary(data))
    assert type(again.program.constant_buffer[1].storage) is bytes and again.program.named_data == []
    assert again.named_data.buffers == [b"n"]
    views = deserialize_pte_binary(data, copy=False)
    assert type(views.program.constant_buffer[1].storage) is memoryview


def test_a_header_keeps_numbers_in_the_flatbuffer_aligned():
    file = pte(constants=[b"c"])
    file.program.execution_plan[0].values = [EValue(Int(2**40 + 7))]
    data = bytes(serialize_pte_binary(file, constant_tensor_alignment=4, delegate_alignment=4))
    assert data.index(struct.pack("<Q", 2**40 + 7)) % 8 == 0


def test_what_is_read_can_be_written_back():
    file = pte(
        constants=[b"c" * 16, b"d" * 7], states=[b"m"], blobs=[b"x", b"y", b"x"], named=[(b"n", {"k": 16})]
    )
    data = bytes(serialize_pte_binary(file, extract_delegate_segments=True))
    found = deserialize_pte_binary(data)
    assert [bytes(buffer.storage) for buffer in found.program.constant_buffer] == [b"", b"c" * 16, b"d" * 7]
    assert [bytes(buffer.storage) for buffer in found.mutable_data] == [b"", b"m"]
    blobs = [
        found.program.backend_delegate_data[d.processed.index].data
        for d in found.program.execution_plan[0].delegates
    ]
    assert [bytes(blob) for blob in blobs] == [b"x", b"y", b"x"]
    assert {
        key: bytes(found.named_data.buffers[e.buffer_index]) for key, e in found.named_data.named_data.items()
    } == {"k": b"n"}
    assert bytes(serialize_pte_binary(found, extract_delegate_segments=True)) == data


def test_the_given_program_is_not_changed():
    file = pte(constants=[b"c"], states=[b"m"], blobs=[b"x"], named=[(b"n", {"k": 1})])
    before = repr(file)
    first = bytes(serialize_pte_binary(file, extract_delegate_segments=True))
    assert repr(file) == before
    assert bytes(serialize_pte_binary(file, extract_delegate_segments=True)) == first


def test_weights_are_not_copied():
    weights = bytearray(8 << 20)
    file = pte(constants=[weights], blobs=[bytearray(8 << 20)])
    tracemalloc.start()
    cord = serialize_pte_binary(file, extract_delegate_segments=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(cord) > 16 << 20
    assert peak < 1 << 20


def test_a_missing_blob_is_named():
    with pytest.raises(FormatError, match=r"delegate 'B0': blob 3 of 1"):
        serialize_pte_binary(pte(blobs=[b"x"], uses=[3]), extract_delegate_segments=True)


def full():
    file = pte(constants=[b"c" * 16, b"d" * 7], states=[b"m"], blobs=[b"x", b"y"], named=[(b"n", {"k": 16})])
    return bytes(serialize_pte_binary(file, extract_delegate_segments=True))


def test_truncated_files_are_refused_everywhere():
    data = full()
    for length in range(len(data)):
        with pytest.raises(FormatError):
            deserialize_pte_binary(data[:length])


def test_foreign_files_are_refused():
    with pytest.raises(FormatError, match="expected the file identifier 'ET12'"):
        deserialize_pte_binary(b"PK\x03\x04" + bytes(100))


def rewritten(change):
    """A file whose flatbuffer has been changed, its segments left as they were."""
    data = full()
    header = ExtendedHeader.from_file(data)
    program = schema.read_program(data[: header.program_size])
    change(program)
    message = schema.write_program(program)
    size = message.nbytes + 32
    head = ExtendedHeader(size, size, header.segment_data_size).to_bytes()
    return b"".join(message.chunks(head)) + data[header.segment_base_offset :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: setattr(p.segments[0], "size", 2**62), "segment 0 is bytes .* cut off or corrupt"),
        (
            lambda p: setattr(p.constant_segment, "segment_index", 9),
            "constant is in segment 9, but the file has 5",
        ),
        (lambda p: setattr(p.constant_segment, "offsets", [0, 20, 10]), "constant 1 would be bytes 20 to 10"),
        (
            lambda p: setattr(p.mutable_data_segments[0], "offsets", [0, 99]),
            "mutable state 0 would be bytes 0 to 99",
        ),
        (lambda p: setattr(p.execution_plan[0].delegates[1].processed, "index", 7), "blob of delegate 'B1'"),
        (lambda p: setattr(p.named_data[0], "segment_index", 7), "data named 'k'"),
        (lambda p: p.named_data.append(p.named_data[0]), "two data have the name 'k'"),
    ],
)
def test_lies_about_segments_are_refused(change, message):
    with pytest.raises(FormatError, match=message):
        deserialize_pte_binary(rewritten(change))


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_damage_never_does_worse_than_an_error(data):
    damaged = bytearray(full())
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FormatError):
        deserialize_pte_binary(bytes(damaged))


@settings(max_examples=60, deadline=None)
@given(
    constants=st.lists(st.binary(max_size=40), max_size=4),
    states=st.lists(st.binary(max_size=9), max_size=3),
    blobs=st.lists(st.binary(max_size=9), max_size=4),
    alignment=st.sampled_from([1, 2, 16, 64]),
)
def test_round_trips_of_anything(constants, states, blobs, alignment):
    file = pte(constants, states, blobs)
    options = {"segment_alignment": alignment, "extract_delegate_segments": True}
    data = bytes(serialize_pte_binary(file, **options))
    found = deserialize_pte_binary(data)
    stored = [bytes(buffer.storage) for buffer in found.program.constant_buffer[1:]]
    assert all(
        have.startswith(want) and not any(have[len(want) :])
        for have, want in zip(stored, constants, strict=True)
    )
    assert [bytes(buffer.storage) for buffer in found.mutable_data or [b""]][1:] == states if states else True
    inline = found.program.backend_delegate_data
    assert [bytes(inline[d.processed.index].data) for d in found.program.execution_plan[0].delegates] == blobs
    assert bytes(serialize_pte_binary(found, **options)) == data
