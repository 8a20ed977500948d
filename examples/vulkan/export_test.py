"""The documented command, whole, for models that need no other package."""

import pathlib

import pytest

from executorch.backends.vulkan.serialization import schema
from executorch.backends.vulkan.serialization.blob import unpack
from executorch.examples.vulkan.export import main
from executorch.schema.program import read_program


def delegate_of(path):
    content = path.read_bytes()
    program = read_program(content)
    (one,) = program.execution_plan[0].delegates
    return one


@pytest.mark.parametrize("half", [False, True], ids=["float", "half"])
def test_the_command_writes_a_program(half, tmp_path, capsys):
    assert main(["--model_name=linear", "-o", str(tmp_path), *(["-fp16"] if half else [])]) == 0
    path = tmp_path / "linear_vulkan.pte"
    assert f"wrote {path}" in capsys.readouterr().out
    delegate = delegate_of(path)
    assert delegate.id == "VulkanBackend"
    assert [one.key for one in delegate.compile_specs] == (["force_fp16"] if half else [])
    content = path.read_bytes()
    at = content.index(b"VH00") - 4
    graph = unpack(content[at:])
    assert [one.name for one in graph.chain] == ["aten.linear.default"]
    types = {one.value.datatype for one in graph.values if isinstance(one.value, schema.VkTensor)}
    assert types == {schema.VkDataType.FLOAT16 if half else schema.VkDataType.FLOAT32}


def test_what_cannot_be_made_is_said(tmp_path: pathlib.Path, capsys):
    assert main(["-m", "linear", "-d", "-o", str(tmp_path)]) == 1
    assert "linear has no dynamic shapes. Way out: leave -d out" in capsys.readouterr().err
