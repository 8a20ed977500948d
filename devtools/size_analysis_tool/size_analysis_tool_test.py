"""Where the bytes of a program are."""

from __future__ import annotations

import json
import pathlib

import pytest
import torch

from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.devtools.size_analysis_tool import size_analysis_tool
from executorch.devtools.size_analysis_tool.size_analysis_tool import generate_model_size_information
from executorch.exir import to_edge, to_edge_transform_and_lower


class _Model(torch.nn.Module):
    offset: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(16, 4)
        self.register_buffer("offset", torch.ones(4, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # XNNPACK has no remainder, so that the buffer stays the program's.
        return torch.remainder(torch.sin(self.linear(x)), self.offset)


X = torch.rand(2, 16)


def test_weights_largest_first() -> None:
    manager = to_edge(torch.export.export(_Model().eval(), (X,)))
    found = generate_model_size_information(manager.exported_program())
    assert [(entry["name"], entry["num_bytes"]) for entry in found["tensor_data"]] == [
        ("p_linear_weight", 256),
        ("b_offset", 32),
        ("p_linear_bias", 16),
    ]
    assert {key: found["tensor_data"][1][key] for key in ("dtype", "element_size", "shape", "numel")} == {
        "dtype": "int64",
        "element_size": 8,
        "shape": [4],
        "numel": 4,
    }
    assert found["delegate_blob_data"] == []
    assert found["overview"] == {"total_tensor_data_size": 304, "total_delegate_blob_data_size": 0}


def test_delegates_and_the_rest() -> None:
    manager = to_edge_transform_and_lower(
        torch.export.export(_Model().eval(), (X,)), partitioner=[XnnpackPartitioner()]
    ).to_executorch()
    found = generate_model_size_information(
        manager.exported_program(), {"XnnpackBackend": lambda data: {"first": data[0]}}, manager.buffer
    )
    (blob,) = found["delegate_blob_data"]
    assert blob["backend_id"] == "XnnpackBackend" and isinstance(blob["first"], int)
    overview = found["overview"]
    assert overview["total_delegate_blob_data_size"] == blob["num_bytes"] > 0
    assert overview["model_size"] == len(manager.buffer)
    kept = overview["total_tensor_data_size"]
    assert kept == sum(entry["num_bytes"] for entry in found["tensor_data"]) > 0
    assert overview["serialization_metadata_size"] == len(manager.buffer) - blob["num_bytes"] - kept
    json.dumps(found)


def test_the_command_line(tmp_path: pathlib.Path) -> None:
    manager = to_edge(torch.export.export(_Model().eval(), (X,)), generate_etrecord=True).to_executorch()
    manager.get_etrecord().save(tmp_path / "model.etrecord")
    (tmp_path / "model.pte").write_bytes(manager.buffer)
    options = {"etrecord_path": "model.etrecord", "program_path": "model.pte", "output_path": "sizes.json"}
    arguments = [f"--{key}={tmp_path / name}" for key, name in options.items()]
    size_analysis_tool.main(arguments)
    assert json.loads((tmp_path / "sizes.json").read_text())["overview"]["model_size"] == len(manager.buffer)
    with pytest.raises(SystemExit, match=r"no method 'other'.*forward"):
        size_analysis_tool.main([*arguments, "--method=other"])
    with pytest.raises(SystemExit):
        size_analysis_tool.main([])
