"""The lower-level bindings: modules, programs, methods in one call and in three."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.portable_lib import (
    ExecuTorchModule,
    Verification,
    _get_operator_names,
    _get_registered_backend_names,
    _is_available,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
    _load_program,
    _load_program_from_buffer,
)
from executorch.runtime import ExecuTorchError, MethodNotFoundError
from executorch.runtime.python.programs_for_tests import AddProgram, values_program
from executorch.schema.program import Int

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = 10 * np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs are NumPy arrays as long as the process does not have torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.fixture
def module() -> ExecuTorchModule:
    return _load_for_executorch_from_buffer(AddProgram(methods=["forward", "encode"]).build())


def test_every_way_to_run(module: ExecuTorchModule) -> None:
    for outputs in (
        module.forward([A, B]),
        module((A, B)),
        module.run_method("encode", [A, B]),
        module.forward([A, B], clone_outputs=False),
    ):
        assert np.array_equal(outputs[0], A + B)


def test_plan_execute(module: ExecuTorchModule) -> None:
    with pytest.raises(ExecuTorchError, match="inputs are not set"):
        module.plan_execute()
    constants = _load_for_executorch_from_buffer(values_program(Int(3), methods=["forward", "get_three"]))
    assert constants.plan_execute("get_three") == [3]
    assert constants.plan_execute() == [3]


def test_modules_describe_themselves(module: ExecuTorchModule) -> None:
    assert module.method_names() == ["forward", "encode"]
    assert module.num_methods() == 2
    assert module.method_meta("encode").num_inputs() == 2
    assert not module.has_etdump()
    with pytest.raises(MethodNotFoundError):
        module.run_method("decode", [A, B])
    with pytest.raises(KeyError):
        module.method_meta("decode")


def test_files_with_external_data(tmp_path: pathlib.Path) -> None:
    spec = AddProgram(external=True)
    program, data = tmp_path / "model.pte", tmp_path / "model.ptd"
    program.write_bytes(spec.build())
    data.write_bytes(spec.build_data(B.tobytes()))
    module = _load_for_executorch(str(program), str(data), program_verification=Verification.Minimal)
    assert np.array_equal(module.forward([A])[0], A + B)
    from_buffers = _load_for_executorch_from_buffer(spec.build(), data_map_buffer=data.read_bytes())
    assert np.array_equal(from_buffers.forward([A])[0], A + B)
    assert np.array_equal(_load_program(program, data_path=data).load_method("forward")([A])[0], A + B)
    with pytest.raises(FileNotFoundError):
        _load_for_executorch(str(program), str(tmp_path / "absent.ptd"))


@pytest.mark.parametrize("planned", [True, False])
def test_methods_in_three_steps(planned: bool) -> None:
    program = _load_program_from_buffer(AddProgram(plan_inputs=planned, plan_outputs=planned).build())
    assert program.num_methods() == 1 and program.get_method_name(0) == "forward"
    assert program.method_names() == ["forward"]
    for index in (-1, 1):
        with pytest.raises(ExecuTorchError):
            program.get_method_name(index)
    assert program.method_meta("forward").num_outputs() == 1
    method = program.load_method("forward")
    assert method.method_meta().name() == "forward"
    with pytest.raises(ExecuTorchError):
        method.execute()
    method.set_inputs([A + 0, B + 0])  # Nobody else holds these arrays.
    for _ in range(2):
        method.execute()
        assert np.array_equal(method.get_outputs()[0], A + B)
    first = method.get_outputs(clone_outputs=False)[0]
    assert np.array_equal(first, A + B)
    assert np.array_equal(method.call([B, B])[0], B + B)
    assert np.array_equal(method((A, A))[0], A + A)
    with pytest.raises(ExecuTorchError):
        method.get_attribute("weight")


def test_registries() -> None:
    assert "aten::add.out" in _get_operator_names()
    assert isinstance(_get_registered_backend_names(), list)
    assert not _is_available("NoSuchBackend")


def test_tracing_is_refused_rather_than_ignored() -> None:
    with pytest.raises(ExecuTorchError, match="without ETDump"):
        _load_for_executorch_from_buffer(AddProgram().build(), enable_etdump=True)


def test_everything_documented_is_there() -> None:
    for name in portable_lib.__all__:
        assert hasattr(portable_lib, name)
