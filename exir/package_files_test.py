"""Packages of native programs, and the forms of programs that the flatbuffer compiler reads and writes."""

import json
import zipfile

import pytest
import torch

from executorch.exir._serialize import _flatbuffer as flatbuffer
from executorch.exir._serialize._dataclass import _DataclassEncoder, _json_to_dataclass
from executorch.exir._serialize._flatbuffer_program import _program_to_flatbuffer
from executorch.exir._serialize._ptn import ALIASES_ENTRY, PTG_ENTRY, SAFETENSORS_ENTRY, read_ptn, write_ptn
from executorch.schema.program import EValue, ExecutionPlan, Int, Program, ScalarType, Tensor


def test_a_package_keeps_program_and_tensors(tmp_path):
    path = str(tmp_path / "new" / "m.ptn")
    base = torch.arange(6.0).reshape(2, 3)
    tensors = {
        "t": base.t(),
        "same": base.t().contiguous(),
        "flag": torch.tensor(True),
        "none": torch.empty(0, 2),
    }
    tensors["half"] = torch.ones(3, dtype=torch.bfloat16)
    write_ptn(path, b"PTG", tensors)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == [PTG_ENTRY, SAFETENSORS_ENTRY, ALIASES_ENTRY]
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
        assert json.loads(archive.read(ALIASES_ENTRY)) == {"t": "same"}
    program, found = read_ptn(path)
    assert program == b"PTG" and found.keys() == tensors.keys()
    assert all(torch.equal(found[name], value) for name, value in tensors.items())


def test_what_a_program_changes_is_kept_apart(tmp_path):
    path = str(tmp_path / "m.ptn")
    ones = torch.ones(3)
    write_ptn(path, b"", {"a": ones, "b": ones.clone()}, frozenset({"b"}))
    with zipfile.ZipFile(path) as archive:
        assert ALIASES_ENTRY not in archive.namelist()
    with pytest.raises(ValueError, match="share source storage"):
        write_ptn(path, b"", {"a": ones, "b": ones[1:]}, frozenset({"b"}))
    write_ptn(path, b"x", {})
    assert read_ptn(path) == (b"x", {})


@pytest.mark.parametrize(
    ("tensors", "mutable", "error"),
    [
        ({"a": torch.ones(1, dtype=torch.complex128)}, set(), KeyError),
        ({"__metadata__": torch.ones(1)}, set(), ValueError),
        ({"a": 3}, set(), TypeError),
        ({1: torch.ones(1)}, set(), TypeError),
        ({}, {"b"}, ValueError),
    ],
)
def test_a_refused_package_leaves_the_old_one(tmp_path, tensors, mutable, error):
    path = tmp_path / "m.ptn"
    write_ptn(str(path), b"old", {})
    with pytest.raises(error):
        write_ptn(str(path), b"new", tensors, frozenset(mutable))
    assert read_ptn(str(path))[0] == b"old" and [item.name for item in tmp_path.iterdir()] == ["m.ptn"]


@pytest.mark.parametrize(
    ("aliases", "words"),
    [
        ([1], "JSON object"),
        ({"b": "c"}, "no safetensors entry"),
        ({"b": 1}, "must be a string"),
        ({"a": "a"}, "both"),
    ],
)
def test_damaged_aliases_are_refused(tmp_path, aliases, words):
    path = str(tmp_path / "m.ptn")
    write_ptn(path, b"", {"a": torch.ones(1)})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(ALIASES_ENTRY, json.dumps(aliases))
    with pytest.raises(ValueError, match=words):
        read_ptn(path)


def program():
    values = [EValue(Int(3)), EValue(Tensor(scalar_type=ScalarType.FLOAT, sizes=[2], dim_order=[0]))]
    return Program(execution_plan=[ExecutionPlan(name="forward", values=values)])


def test_dataclasses_survive_json():
    text = json.dumps(program(), cls=_DataclassEncoder)
    assert json.loads(text)["execution_plan"][0]["values"][0] == {"val": {"int_val": 3}, "val_type": "Int"}
    assert _json_to_dataclass(json.loads(text), Program) == program()
    by_name = json.loads(flatbuffer._program_flatbuffer_to_json(_program_to_flatbuffer(program()).data))
    assert by_name["execution_plan"][0]["values"][1]["val"]["scalar_type"] == "FLOAT"
    assert _json_to_dataclass(by_name, Program).execution_plan == program().execution_plan
    with pytest.raises(IndexError):
        _json_to_dataclass({"val": {}, "val_type": "Nope"}, EValue)


def test_schema_files_can_be_replaced_where_published_code_does_it(monkeypatch, tmp_path):
    """Published code patches the reader of resources by way of the module that reads them."""
    monkeypatch.setattr(flatbuffer.importlib.resources, "read_binary", lambda package, name: name.encode())
    files = flatbuffer._ResourceFiles(["a.fbs"])
    files.write_to(str(tmp_path))
    assert (tmp_path / "a.fbs").read_bytes() == b"a.fbs"


def test_a_schema_gets_other_alignments(tmp_path):
    plain = flatbuffer._prepare_schema(str(tmp_path))
    assert (plain.tensor_alignment, plain.delegate_alignment, plain.max_alignment) == (16, 16, 16)
    assert plain.file_identifier == b"ET12"
    changed = flatbuffer._prepare_schema(str(tmp_path), 64, 32)
    assert (changed.tensor_alignment, changed.delegate_alignment, changed.max_alignment) == (64, 32, 64)
    assert (tmp_path / "scalar_type.fbs").is_file() and b"64" in (tmp_path / "program.fbs").read_bytes()
    with pytest.raises(ValueError, match="power of two"):
        flatbuffer._prepare_schema(str(tmp_path), 3)


def test_numbers_that_are_not_finite_are_quoted_and_texts_are_not_touched():
    content = json.dumps({"a": float("inf"), "b": -float("inf"), "NaN": "Infinity"}).encode()
    expected = {"a": "inf", "b": "-inf", "NaN": "Infinity"}
    assert json.loads(flatbuffer._replace_non_finite_in_json(content)) == expected
    assert json.loads(flatbuffer._replace_infinity_in_json_file(b'{"a": -inf, "inf": "nan"}')) == {
        "a": "-inf",
        "inf": "nan",
    }
