"""ETDump files in Python: every field there and back, and what is wrong with a file is said."""

from __future__ import annotations

import struct

import pytest

from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc, serialize_to_etdump_flatcc
from executorch.schema.scalar_type import ScalarType


def _value(kind: flatcc.ValueType, **fields: object) -> flatcc.Value:
    everything = {
        name: None
        for name in (
            "tensor",
            "tensor_list",
            "int_value",
            "float_value",
            "double_value",
            "bool_value",
            "output",
        )
    }
    return flatcc.Value(val=kind.value, **{**everything, **fields})  # type: ignore[arg-type]


def _example() -> flatcc.ETDumpFlatCC:
    tensor = flatcc.Tensor(ScalarType.FLOAT, [2, 3], [3, 1], 64)
    profile = flatcc.ProfileEvent("native_call_add.out", 0, 3, -1, None, None, 10, 25)
    delegate = flatcc.ProfileEvent(None, 0, 4, 7, None, b"\x00\xff", 11, 12)
    named = flatcc.ProfileEvent(None, -1, 0, -1, "conv", None, 11, 12)
    values = [
        _value(flatcc.ValueType.TENSOR, tensor=tensor, output=flatcc.Bool(True)),
        _value(flatcc.ValueType.TENSOR_LIST, tensor_list=flatcc.TensorList([tensor, tensor])),
        _value(flatcc.ValueType.INT, int_value=flatcc.Int(-5)),
        _value(flatcc.ValueType.DOUBLE, double_value=flatcc.Double(0.1)),
        _value(flatcc.ValueType.FLOAT, float_value=flatcc.Float(0.5)),
        _value(flatcc.ValueType.BOOL, bool_value=flatcc.Bool(False)),
    ]
    debug = [flatcc.DebugEvent(None, chain, 3, -1, None, value) for chain, value in enumerate(values, -1)]
    events = [flatcc.Event(event, None, None) for event in (profile, delegate, named)]
    events += [flatcc.Event(None, None, event) for event in debug]
    events.append(flatcc.Event(None, flatcc.AllocationEvent(1, 4096), None))
    run = flatcc.RunData("Execute", 2, [flatcc.Allocator("temp")], events)
    return flatcc.ETDumpFlatCC(0, [run, flatcc.RunData("Default", -1, [], [])])


def test_round_trip() -> None:
    data = serialize_to_etdump_flatcc(_example())
    assert data[8:12] == b"ED00" and struct.unpack("<I", data[:4])[0] == len(data) - 4
    assert deserialize_from_etdump_flatcc(data) == _example()
    assert deserialize_from_etdump_flatcc(data[4:], size_prefixed=False) == _example()
    # A file may have more behind it, such as the rest of a buffer.
    assert deserialize_from_etdump_flatcc(data + b"rest") == _example()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "four bytes of length"),
        (b"\x00\x01\x00\x00ED00", "should have 256 bytes"),
        (struct.pack("<I", 8) + b"\x04\x00\x00\x00ET12", "not an ETDump: the identifier is b'ET12'"),
        (serialize_to_etdump_flatcc(_example())[:-1], "should have"),
    ],
)
def test_what_is_wrong_is_said(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        deserialize_from_etdump_flatcc(data)
