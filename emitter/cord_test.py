"""A file in pieces: no copies, streaming, padding."""

import array
import io

import pytest

from executorch.emitter.cord import Cord


def test_pieces_are_referred_to():
    payload = bytearray(b"abc")
    cord = Cord(b"x")
    cord.append(payload)
    payload[0] = ord("z")
    assert bytes(cord) == b"xzbc"
    assert len(cord) == 4


def test_cords_can_be_joined_and_padded():
    cord = Cord(b"ab")
    cord.append(Cord(b"cd"))
    cord.pad_to(10_000)
    assert bytes(cord) == b"abcd" + bytes(9_996)
    with pytest.raises(ValueError, match="cannot be padded"):
        cord.pad_to(3)


class Reluctant(io.RawIOBase):
    """A raw file that takes at most three bytes at once."""

    def __init__(self):
        self.content = bytearray()

    def writable(self):
        return True

    def write(self, data):
        self.content += bytes(data[:3])
        return min(3, len(data))


@pytest.mark.parametrize("file", [io.BytesIO(), Reluctant()])
def test_writing_writes_everything(file):
    cord = Cord(b"hello")
    cord.append(b" world")
    cord.write_to_file(file)
    assert (file.getvalue() if isinstance(file, io.BytesIO) else bytes(file.content)) == b"hello world"


def test_equality_is_by_content():
    assert Cord(b"ab") == b"ab"
    assert Cord(b"ab") == Cord(b"ab")
    assert Cord(b"ab") != Cord(b"ac")
    assert Cord(b"ab") != 3


def test_wide_buffers_are_counted_in_bytes():
    assert len(Cord(memoryview(array.array("f", [1.0, 2.0, 3.0])))) == 12


def test_what_is_no_data_is_refused():
    with pytest.raises(TypeError, match="received <class 'str'>"):
        Cord("text")
