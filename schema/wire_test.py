"""The wire format itself: layout, sharing, defaults, and buffers that lie."""

import math
import struct
from enum import IntEnum

import pytest

from executorch.schema.wire import FormatError, Reader, TableLayout, Writer

POINT = TableLayout("Point", (("x", "d", 0.0), ("id", "i", 7), ("name", "O", 0), ("on", "?", False)))
I32, F64 = struct.Struct("<i"), struct.Struct("<d")


class Colour(IntEnum):
    RED = 1


def point(x=0.0, number=7, name=None, on=False):
    writer = Writer()
    root = writer.table(POINT, (x, number, writer.string(name), on))
    return writer.finish(root, "TEST").tobytes()


def test_fields_come_back():
    reader = Reader(point(1.5, -3, "naïve", True))
    fields = reader.fields(reader.root("TEST"), 4)
    assert reader.scalar(F64, fields[0], 0.0) == 1.5
    assert reader.scalar(I32, fields[1], 7) == -3
    assert reader.string(fields[2]) == "naïve"
    assert reader.scalar(struct.Struct("<?"), fields[3], False) is True


def test_defaults_take_no_space():
    data = point()
    reader = Reader(data)
    assert reader.fields(reader.root("TEST"), 4) == (0, 0, 0, 0)
    assert len(data) < len(point(1.5))


def test_minus_zero_and_nan_are_not_the_default():
    for x in (-0.0, math.nan):
        reader = Reader(point(x))
        found = reader.scalar(F64, reader.fields(reader.root("TEST"), 4)[0], 0.0)
        assert struct.pack("<d", found) == struct.pack("<d", x)


@pytest.mark.parametrize("text", ["", "a", "ab", "abc", "abcd"])
def test_doubles_are_aligned_whatever_else_is_written(text):
    data = point(2.0, 1, text)
    reader = Reader(data)
    fields = reader.fields(reader.root("TEST"), 4)
    assert fields[0] % 8 == 0
    assert fields[1] % 4 == 0


def test_equal_tables_share_a_vtable():
    writer = Writer()
    ends = [writer.table(POINT, (0.0, i, 0, False)) for i in range(3)]
    root = writer.tables(lambda _, reference: reference, ends)
    message = writer.finish(root, "TEST")
    data = message.tobytes()
    tables = [len(data) - end for end in ends]
    assert len({table - struct.unpack_from("<i", data, table)[0] for table in tables}) == 1


def test_a_payload_is_aligned_and_not_copied():
    payload = bytearray(100_000)
    writer = Writer()
    writer.blob(b"x", 1, "a")
    root = writer.blob(payload, 64, "b")
    message = writer.finish(root, "TEST")
    position = 8
    for chunk in message.body:
        if isinstance(chunk, memoryview) and chunk.obj is payload:
            break
        position += len(chunk)
    else:
        pytest.fail("the payload was copied")
    assert position % 64 == 0
    assert message.alignment == 64


def test_an_alignment_can_be_overridden():
    writer = Writer(alignments={"Blob.data": 256})
    root = writer.blob(b"abc", 16, "Blob.data")
    message = writer.finish(root, "TEST")
    assert (message.root + 4) % 256 == 0


def test_a_header_moves_the_root_only():
    writer = Writer()
    message = writer.finish(writer.table(POINT, (0.0, 1, 0, False)), "TEST")
    plain, headed = message.tobytes(), b"".join(message.chunks(bytes(32)))
    assert headed[8:40] == bytes(32)
    assert headed[40:] == plain[8:]
    assert struct.unpack_from("<I", headed)[0] == struct.unpack_from("<I", plain)[0] + 32
    with pytest.raises(ValueError, match="alignment"):
        message.chunks(bytes(3))


def test_values_that_do_not_fit_are_named():
    with pytest.raises(FormatError, match=r"Point\.id: 4294967296 does not fit"):
        Writer().table(POINT, (0.0, 2**32, 0, False))
    with pytest.raises(FormatError, match=r"Plan\.inputs"):
        Writer().scalars("i", [1, 2**40], "Plan.inputs")


def test_wrong_identifier():
    with pytest.raises(FormatError, match=r"expected the file identifier 'ET12'.*found b'TEST'"):
        Reader(point()).root("ET12")
    with pytest.raises(FormatError, match="the buffer has 3 bytes"):
        Reader(b"abc").root("ET12")


@pytest.mark.parametrize("length", range(8, 60, 4))
def test_truncation_is_noticed(length):
    data = point(1.5, 3, "some longer text", True)[:length]
    reader = Reader(data)
    with pytest.raises(FormatError):
        fields = reader.fields(reader.root("TEST"), 4)
        reader.scalar(F64, fields[0], 0.0)
        reader.string(fields[2])


def test_positions_before_the_buffer_are_refused():
    data = bytearray(point(1.5))
    root = struct.unpack_from("<I", data)[0]
    struct.pack_into("<i", data, root, root + 4)
    with pytest.raises(FormatError, match="before the buffer"):
        Reader(data).fields(root, 4)


def test_unknown_enum_values_are_refused():
    with pytest.raises(FormatError, match="unknown value 9 of enum Colour"):
        Reader(bytes([0, 9])).enum(struct.Struct("<b"), 1, Colour, Colour.RED)


def test_text_must_be_utf8():
    data = point(name="abcd").replace(b"abcd", b"ab\xff\xfe")
    reader = Reader(data)
    with pytest.raises(FormatError, match="not UTF-8"):
        reader.string(reader.fields(reader.root("TEST"), 4)[2])


def test_a_huge_vector_is_refused_before_it_is_read():
    data = struct.pack("<III", 0, 4, 2**31)
    with pytest.raises(FormatError, match="beyond the end"):
        Reader(data).scalars("q", 4)


def test_reading_the_same_bytes_over_and_over_is_stopped():
    writer = Writer()
    payload = writer.blob(bytes(1000), 1, "payload")
    root = writer.tables(lambda _, __: payload, range(1000))
    reader = Reader(writer.finish(root, "TEST").tobytes())
    with pytest.raises(FormatError, match="over and over"):
        for _ in range(1000):
            reader.scalars("B", 0 or reader.root("TEST") + 4)
