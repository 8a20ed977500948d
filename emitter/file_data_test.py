"""Bytes that stay in a file: what a cord sees of them, and who removes the file."""

import hashlib
import io

import pytest

from executorch.emitter.cord import Cord
from executorch.emitter.file_data import FileBackedData

CONTENT = bytes(range(256)) * 20


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "weights.bin"
    file.write_bytes(CONTENT)
    return file


def test_it_is_the_content_of_the_file(path):
    data = FileBackedData(str(path))
    assert len(data) == len(CONTENT) and bytes(data) == CONTENT and bytes(data.view()) == CONTENT
    assert data.prefix(5) == CONTENT[:5] and data.prefix(10**6) == CONTENT
    assert data.sha256() == hashlib.sha256(CONTENT).digest()
    out = io.BytesIO()
    data.write_to_file(out)
    assert out.getvalue() == CONTENT


def test_a_cord_takes_it_between_other_pieces(path):
    cord = Cord(b"head")
    cord.append(FileBackedData(str(path)))
    cord.append(b"tail")
    assert len(cord) == len(CONTENT) + 8 and bytes(cord) == b"head" + CONTENT + b"tail"


def test_an_empty_file_is_no_piece(tmp_path):
    (tmp_path / "empty").touch()
    assert len(Cord(FileBackedData(str(tmp_path / "empty")))) == 0


def test_only_an_owner_removes_the_file(path):
    with FileBackedData(str(path)):
        pass
    assert path.exists()
    cord = Cord()
    with FileBackedData.move_from(str(path)) as data:
        assert not path.exists()
        path.write_bytes(b"someone else's")
        cord.append(data)
    assert path.read_bytes() == b"someone else's" and bytes(cord) == CONTENT
    assert [child.name for child in path.parent.iterdir()] == [path.name]


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        FileBackedData(str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError):
        FileBackedData.move_from(str(tmp_path / "none"))
    assert not list(tmp_path.iterdir())
