"""Bundled programs: what fits is written and read back, what does not is refused by name."""

from __future__ import annotations

import pathlib

import pytest
import torch

from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import (
    deserialize_from_flatbuffer_to_bundled_program,
    serialize_from_bundled_program_to_flatbuffer,
)
from executorch.exir import ExecutorchProgramManager, to_edge
from executorch.schema.scalar_type import ScalarType


class _Scale(torch.nn.Module):
    def forward(self, x: torch.Tensor, by: int) -> torch.Tensor:
        return x * by


ONE = torch.ones(2, 3)


@pytest.fixture(scope="module")
def manager() -> ExecutorchProgramManager:
    program = torch.export.export(_Scale(), (ONE, 2))
    return to_edge({"forward": program, "encode": program}).to_executorch()


def _suite(*cases: MethodTestCase, name: str = "forward") -> list[MethodTestSuite]:
    return [MethodTestSuite(name, list(cases))]


def test_round_trip(manager: ExecutorchProgramManager) -> None:
    suites = _suite(MethodTestCase((ONE, 2), (ONE * 2,)), MethodTestCase((ONE, 2)))
    bundle = BundledProgram(manager, [*suites, *_suite(name="encode")])
    data = serialize_from_bundled_program_to_flatbuffer(bundle)
    assert data[4:8] == b"BP08"
    read = deserialize_from_flatbuffer_to_bundled_program(data)
    assert read == bundle.serialize_to_schema()
    assert read.version == 2 and read.program == manager.buffer
    # Aligned for whoever runs it where it lies.
    assert data.index(read.program) % 32 == 0
    assert [suite.method_name for suite in read.method_test_suites] == ["encode", "forward"]
    case, without = read.method_test_suites[1].test_cases
    tensor = case.inputs[0].val
    assert tensor.scalar_type == ScalarType.FLOAT and tensor.sizes == [2, 3] and tensor.dim_order == [0, 1]
    assert tensor.data == ONE.numpy().tobytes()
    assert case.inputs[1].val.int_val == 2
    assert case.expected_outputs[0].val.data == (ONE * 2).numpy().tobytes()
    assert without.expected_outputs == []


@pytest.mark.parametrize(
    ("tensor", "order"),
    [
        (torch.arange(24.0).reshape(1, 2, 3, 4), [0, 1, 2, 3]),
        (torch.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last), [0, 2, 3, 1]),
        (torch.arange(48.0).reshape(2, 24)[:, ::2], [0, 1]),
        (torch.ones(1, 3).expand(4, 3), [0, 1]),
        (torch.tensor(3, dtype=torch.int64), []),
        (torch.zeros(0, 3), [0, 1]),
        (torch.tensor([True, False]), [0]),
    ],
)
def test_tensors_of_any_layout(tensor: torch.Tensor, order: list[int]) -> None:
    from executorch.devtools.bundled_program.core import _emit_tensor

    emitted = _emit_tensor(tensor)
    assert emitted.dim_order == order and emitted.sizes == list(tensor.shape)
    rows = tensor.permute(order).contiguous().reshape(-1)
    assert emitted.data == rows.numpy().tobytes()


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        (_suite(name="MISSING"), r"program.execution_plan, but \{'MISSING'\} does not include"),
        (_suite(MethodTestCase((ONE,))), "shall equal, but get 1 and 2"),
        (_suite(MethodTestCase((ONE.int(), 2))), "dtype shall be torch.float32, but now is torch.int32"),
        (_suite(MethodTestCase((ONE, ONE))), "expected <class 'int'> but get <class 'torch.Tensor'>"),
        (_suite(MethodTestCase((ONE, 2.0))), "dtype shall be <class 'int'>, but now is <class 'float'>"),
        (_suite(MethodTestCase((ONE, True))), "dtype shall be <class 'int'>, but now is <class 'bool'>"),
        (_suite(MethodTestCase((ONE, 2), (ONE.double(),))), "label tensor .* shall be torch.float32"),
        (_suite(MethodTestCase((ONE, 2), (ONE, ONE))), "but get 2 and 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    manager: ExecutorchProgramManager, suite: list[MethodTestSuite], message: str
) -> None:
    with pytest.raises(AssertionError, match="(?s)" + message):
        BundledProgram(manager, suite)


def test_test_cases_hold_numbers_and_tensors_only() -> None:
    with pytest.raises(AssertionError, match="is not supported"):
        MethodTestCase(("text",))
    assert MethodTestCase([[1, {"a": 2.5}]]).inputs == [1, 2.5]


def test_a_program_from_a_file(manager: ExecutorchProgramManager, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(manager.buffer)
    bundle = BundledProgram(None, _suite(MethodTestCase((ONE, 2))), pte_file_path=str(path))
    assert bundle.serialize_to_schema().program == manager.buffer
    with pytest.raises(RuntimeError, match="Either"):
        BundledProgram(None, [])
    with pytest.raises(RuntimeError, match="not both"):
        BundledProgram(manager, [], pte_file_path=str(path))


def test_other_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="not a bundled program"):
        deserialize_from_flatbuffer_to_bundled_program(b"\0" * 64)


def test_the_schema_has_its_documented_names() -> None:
    from executorch.devtools.bundled_program import schema
    from executorch.devtools.bundled_program.schema import bundled_program_schema

    tensor = schema.Tensor(scalar_type=schema.ScalarType.INT, sizes=[1], data=b"\1\0\0\0", dim_order=[0])
    assert bundled_program_schema.Value(val=tensor) == schema.Value(tensor)
