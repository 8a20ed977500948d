"""The documented path writes and reads the emitter's files."""

import pathlib
import re

import pytest

from executorch import emitter
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


def test_it_is_the_emitters():
    assert FlatTensorSerializer is emitter.FlatTensorSerializer


def test_the_example_of_the_readme_runs():
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
