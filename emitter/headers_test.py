"""The headers, against the dumps in the documentation of the formats."""

import pytest

from executorch.emitter.headers import ExtendedHeader, FlatTensorHeader
from executorch.schema.wire import FormatError

# The dump of the .pte documentation, with the version digits that it leaves open.
PTE = bytes.fromhex(
    "38000000 45543132 65683030 20000000 F002000000000000 0010000000000000 2000000000000000"
).ljust(64, b"\0")
# The dump of the .ptd documentation.
PTD = bytes.fromhex(
    "44000000 46543031 46483031 28000000 3000000000000000 0001000000000000 3001000000000000 2000000000000000"
).ljust(64, b"\0")


def test_the_documented_pte_header():
    header = ExtendedHeader.from_file(PTE)
    assert header == ExtendedHeader(program_size=0x2F0, segment_base_offset=0x1000, segment_data_size=0x20)
    assert header.to_bytes() == PTE[8:40]


def test_the_documented_ptd_header():
    header = FlatTensorHeader.from_file(PTD)
    assert header == FlatTensorHeader(0x30, 0x100, 0x130, 0x20)
    assert header.to_bytes() == PTD[8:48]
    assert header.flatbuffer_offset == FlatTensorHeader.PADDED_LENGTH


def test_a_program_need_not_have_a_header():
    assert ExtendedHeader.from_file(b"\x08\0\0\0ET12" + bytes(56)) is None


def test_the_first_version_of_the_header_had_no_data_size():
    old = bytearray(PTE)
    old[12] = 24
    assert ExtendedHeader.from_file(old) == ExtendedHeader(0x2F0, 0x1000, 0)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (10, ord("9"), r"unknown version.*b'eh00'"),
        (12, 23, "at least 24"),
        (24, 1, None),
        (25, 1, "inside the program"),
    ],
)
def test_wrong_pte_headers(position, value, message):
    data = bytearray(PTE)
    data[position] = value
    if message is None:
        assert ExtendedHeader.from_file(data).segment_base_offset == 0x1001
        return
    with pytest.raises(FormatError, match=message):
        ExtendedHeader.from_file(data)


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [(8, 0, "expected the header"), (12, 39, "at least 40"), (17, 9, "inside")],
)
def test_wrong_ptd_headers(position, value, message):
    data = bytearray(PTD)
    data[position] = value
    with pytest.raises(FormatError, match=message):
        FlatTensorHeader.from_file(data)


def test_short_files():
    with pytest.raises(FormatError, match="at least 64"):
        ExtendedHeader.from_file(PTE[:40])
    with pytest.raises(FormatError, match="at least 64"):
        FlatTensorHeader.from_file(PTD[:63])
