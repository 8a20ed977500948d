"""Reads a model package: operations of its program, with the values of constants, out of the bytes that Core ML reads.

Nothing of the converter is used but the generated readers of its message format.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from coremltools.proto import MIL_pb2, Model_pb2

_DTYPES = {
    "BOOL": torch.bool,
    "FLOAT16": torch.float16,
    "FLOAT32": torch.float32,
    "INT8": torch.int8,
    "INT16": torch.int16,
    "INT32": torch.int32,
    "INT64": torch.int64,
    "UINT8": torch.uint8,
    "UINT16": torch.uint16,
}
#: Bits of an element that is no whole byte; such elements are kept in a byte each here.
_PACKED = {"INT4": 4, "UINT1": 1, "UINT2": 2, "UINT3": 3, "UINT4": 4, "UINT6": 6}
#: Of a record in a file of weights: what it begins with, its kind, bytes, where they lie.
_RECORD = struct.Struct("<IIQQ")
_SENTINEL = 0xDEADBEEF


@dataclass
class Operation:
    """One call.

    Attributes:
        kind: the operator.
        inputs: values by parameter; a name is a :class:`Name`.
        outputs: names of results, with their elements' types.
    """

    kind: str
    inputs: dict[str, Any]
    outputs: list[tuple[str, torch.dtype | None]]


@dataclass(frozen=True)
class Name:
    """A value that another operation gives."""

    of: str


@dataclass
class MilProgram:
    """The function ``main``.

    Attributes:
        inputs: names in order.
        states: shape and elements of each.
        operations: in order.
        outputs: names in order.
        interface: of inputs and outputs, as the model describes them to whoever calls it.
    """

    inputs: list[str] = field(default_factory=list)
    states: dict[str, torch.Tensor] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    interface: dict[str, Any] = field(default_factory=dict)


def read_package(path: Path, name: str = "main") -> MilProgram:
    """The program of a function of a ``.mlpackage``."""
    manifest = json.loads((path / "Manifest.json").read_text())
    entry = manifest["itemInfoEntries"][manifest["rootModelIdentifier"]]
    spec = Model_pb2.Model()
    spec.ParseFromString((path / "Data" / entry["path"]).read_bytes())
    folder = (path / "Data" / entry["path"]).parent
    function = spec.mlProgram.functions[name]
    described = next((one for one in spec.description.functions if one.name == name), spec.description)
    made = MilProgram(interface={one.name: one.type for one in described.input})
    made.interface |= {one.name: one.type for one in described.output}
    for one in function.inputs:
        if one.type.WhichOneof("type") == "stateType":
            tensor = one.type.stateType.wrappedType.tensorType
            made.states[one.name] = torch.zeros(_shape(tensor), dtype=_dtype(tensor))
        else:
            made.inputs.append(one.name)
    block = function.block_specializations[function.opset]
    made.outputs = list(block.outputs)
    for operation in block.operations:
        assert not operation.blocks, f"{operation.type} has blocks"
        inputs = {name: _arguments(one, folder) for name, one in operation.inputs.items()}
        if operation.type == "const" or operation.type.startswith("constexpr"):
            inputs |= {
                name: _value(one, folder) for name, one in operation.attributes.items() if name != "name"
            }
        outputs = [(one.name, _result_dtype(one.type)) for one in operation.outputs]
        made.operations.append(Operation(operation.type, inputs, outputs))
    return made


def _shape(tensor: Any) -> list[int]:
    return [one.constant.size for one in tensor.dimensions]


def _type_name(tensor: Any) -> str:
    return MIL_pb2.DataType.Name(tensor.dataType)


def _dtype(tensor: Any) -> torch.dtype:
    return _DTYPES[_type_name(tensor)]


def _result_dtype(kind: Any) -> torch.dtype | None:
    if kind.WhichOneof("type") != "tensorType":
        return None
    return _DTYPES.get(_type_name(kind.tensorType))


def _arguments(argument: Any, folder: Path) -> Any:
    found = [
        Name(one.name) if one.WhichOneof("binding") == "name" else _value(one.value, folder)
        for one in argument.arguments
    ]
    return found[0] if len(found) == 1 else found


def _value(value: Any, folder: Path) -> Any:
    if value.WhichOneof("value") == "blobFileValue":
        return _from_file(value, folder)
    immediate = value.immediateValue
    if immediate.WhichOneof("value") == "list":
        return [_value(one, folder) for one in immediate.list.values]
    if immediate.WhichOneof("value") == "tuple":
        return [_value(one, folder) for one in immediate.tuple.values]
    tensor, kind = immediate.tensor, value.type.tensorType
    form = tensor.WhichOneof("value")
    if form == "strings":
        return tensor.strings.values[0]
    if form == "bytes":
        return _of_bytes(tensor.bytes.values, kind)
    made = torch.tensor(list(getattr(tensor, form).values) if form else [], dtype=_dtype(kind))
    return made.reshape(_shape(kind))


def _from_file(value: Any, folder: Path) -> torch.Tensor:
    name = value.blobFileValue.fileName.removeprefix("@model_path/")
    data = (folder / name).read_bytes()
    sentinel, _, size, offset = _RECORD.unpack_from(data, value.blobFileValue.offset)
    assert sentinel == _SENTINEL
    return _of_bytes(data[offset : offset + size], value.type.tensorType)


def _of_bytes(data: bytes, kind: Any) -> torch.Tensor:
    name, shape = _type_name(kind), _shape(kind)
    if name not in _PACKED:
        return torch.frombuffer(bytearray(data), dtype=_DTYPES[name]).reshape(shape)
    width, count = _PACKED[name], 1
    for size in shape:
        count *= size
    places = torch.arange(count * width).reshape(count, width)
    bits = (torch.frombuffer(bytearray(data), dtype=torch.uint8)[places // 8].int() >> (places % 8)) & 1
    made = (bits << torch.arange(width)).sum(1)
    if name == "INT4":
        made = torch.where(made > 7, made - 16, made)
    return made.to(torch.int8 if name == "INT4" else torch.uint8).reshape(shape)
