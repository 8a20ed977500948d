"""The lower-level bindings: modules, programs, methods in one call and in three."""

from __future__ import annotations

import concurrent.futures
import importlib
import pathlib
import sys

import numpy as np
import pytest

from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.data_loader import PyDataLoader
from executorch.extension.pybindings.portable_lib import (
    BundledModule,
    ExecuTorchModule,
    Verification,
    _get_operator_names,
    _get_registered_backend_names,
    _is_available,
    _load_bundled_program_from_buffer,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
    _load_for_executorch_from_bundled_program,
    _load_for_executorch_from_data_loader,
    _load_program,
    _load_program_from_buffer,
    _threadpool_get_thread_count,
    _unsafe_reset_threadpool,
)
from executorch.runtime import ExecuTorchError, MethodNotFoundError
from executorch.runtime.python.programs_for_tests import AddProgram, values_program
from executorch.schema import bundled_program as bundled
from executorch.schema.etdump import read_etdump
from executorch.schema.program import Int
from executorch.schema.scalar_type import ScalarType

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = 10 * np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs are NumPy arrays as long as the process does not have torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)


@pytest.fixture
def module() -> ExecuTorchModule:
    return _load_for_executorch_from_buffer(AddProgram(methods=["forward", "encode"]).build())


def test_a_data_loader_is_a_source_like_any_other(tmp_path: pathlib.Path) -> None:
    contents = AddProgram().build()
    path = tmp_path / "add.pte"
    path.write_bytes(contents)
    for source in (contents, path, str(path)):
        module = _load_for_executorch_from_data_loader(PyDataLoader(source))
        assert np.array_equal(module.forward([A, B])[0], A + B)
    with path.open("rb") as file:
        module = _load_for_executorch_from_data_loader(PyDataLoader(file), enable_etdump=True)
    assert module.has_etdump()


def test_the_bindings_of_aten_say_what_to_use_instead() -> None:
    with pytest.raises(ImportError, match="portable_lib instead"):
        importlib.import_module("executorch.extension.pybindings.aten_lib")


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


def test_damaged_external_data_stands_in_the_way_of_runs_only() -> None:
    program = AddProgram(external=True).build()
    module = _load_for_executorch_from_buffer(program, b"invalid bytes")
    assert module.method_names() == ["forward"] and module.method_meta("forward").num_inputs() == 1
    for _ in range(2):
        with pytest.raises(ExecuTorchError, match=r"0x24 InvalidExternalData\n  Not a \.ptd file") as refused:
            module.forward([A])
        assert (
            refused.value.log[-1] == "Failed to execute method forward, error: 0x24"
            and len(refused.value.log) == 2
        )
    with pytest.raises(ExecuTorchError, match="InvalidExternalData"):
        _load_program_from_buffer(program, data_map_buffer=b"invalid bytes")


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


def _events(data: bytes) -> dict[str, list[str]]:
    runs = read_etdump(data[4:]).run_data
    return {
        run.name: [event.profile_event.name for event in run.events if event.profile_event is not None]
        for run in runs
    }


def test_runs_are_recorded(tmp_path: pathlib.Path) -> None:
    module = _load_for_executorch_from_buffer(AddProgram().build(), enable_etdump=True)
    assert module.has_etdump()
    module.forward([A, B])
    path = tmp_path / "run.etdp"
    module.write_etdump_result_to_file(str(path))
    first = path.read_bytes()
    assert first[8:12] == b"ED00" and int.from_bytes(first[:4], "little") == len(first) - 4
    assert _events(first) == {
        "Default": ["Method::init", "Program::load_method"],
        "Execute": ["native_call_add.out", "OPERATOR_CALL", "Method::execute"],
    }
    for event in read_etdump(first[4:]).run_data[1].events:
        assert event.profile_event is not None
        assert event.profile_event.end_time >= event.profile_event.start_time > 0
    # Written again, it is the same; the next run begins anew.
    module.write_etdump_result_to_file(path)
    assert path.read_bytes() == first
    module.forward([A, B])
    module.write_etdump_result_to_file(path)
    assert list(_events(path.read_bytes())) == ["Execute"]


def test_values_are_recorded_as_far_as_there_is_room(tmp_path: pathlib.Path) -> None:
    program = _load_program_from_buffer(AddProgram().build(), enable_etdump=True, debug_buffer_size=4096)
    assert program.has_etdump()
    program.load_method("forward")([A, B])
    etdump, values = tmp_path / "run.etdp", tmp_path / "run.bin"
    program.write_etdump_result_to_file(str(etdump), str(values))
    logged = [
        event.debug_event.debug_entry
        for run in read_etdump(etdump.read_bytes()[4:]).run_data
        for event in run.events
        if event.debug_event is not None
    ]
    assert [entry.output is not None for entry in logged] == [False, True]
    for entry in logged:
        assert entry.tensor.sizes == [2, 3] and entry.tensor.strides == [3, 1]
        found = np.frombuffer(values.read_bytes(), np.float32, 6, entry.tensor.offset)
        assert np.array_equal(found.reshape(2, 3), A + B)
    # A buffer that is full ends the recording of values, nothing else.
    module = _load_for_executorch_from_buffer(AddProgram().build(), enable_etdump=True, debug_buffer_size=100)
    for _ in range(20):
        assert np.array_equal(module.forward([A, B])[0], A + B)
    module.write_etdump_result_to_file(etdump, values)
    assert len(read_etdump(etdump.read_bytes()[4:]).run_data) == 21
    assert values.stat().st_size <= 100


def test_recording_has_to_be_asked_for(module: ExecuTorchModule, tmp_path: pathlib.Path) -> None:
    assert not module.has_etdump()
    with pytest.raises(RuntimeError, match=r"No etdump found.*\n.*enable_etdump=True"):
        module.write_etdump_result_to_file(str(tmp_path / "run.etdp"))
    with pytest.raises(ExecuTorchError, match="without enable_etdump"):
        _load_for_executorch_from_buffer(AddProgram().build(), debug_buffer_size=100)


def test_recorded_methods_share_their_program_safely() -> None:
    program = _load_program_from_buffer(AddProgram(methods=["forward", "encode"]).build(), enable_etdump=True)
    methods = [program.load_method(name) for name in ("forward", "encode")]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = [pool.submit(methods[i % 2].call, [A, i * B]) for i in range(40)]
        for i, run in enumerate(runs):
            assert np.array_equal(run.result()[0], A + i * B)


def _bundle(*cases: tuple[list[np.ndarray], list[np.ndarray]]) -> bytes:
    def value(array: np.ndarray) -> bundled.Value:
        sizes, order = list(array.shape), list(range(array.ndim))
        return bundled.Value(bundled.Tensor(ScalarType.FLOAT, sizes, array.tobytes(), order))

    test_cases = [
        bundled.BundledMethodTestCase([value(x) for x in inputs], [value(x) for x in outputs])
        for inputs, outputs in cases
    ]
    suite = bundled.BundledMethodTestSuite("forward", test_cases)
    program = AddProgram(plan_inputs=False, plan_outputs=False).build()
    return bundled.write_bundled_program(bundled.BundledProgram(2, [suite], program)).tobytes()


def test_bundled_programs() -> None:
    almost = (A + B) * np.float32(1 + 1e-4)
    bundle = _load_bundled_program_from_buffer(_bundle(([A, B], [A + B]), ([A, B], [almost]), ([B, B], [])))
    assert isinstance(bundle, BundledModule)
    (output,) = bundle.verify_result_with_bundled_expected_output("forward", 0)
    assert np.array_equal(output, A + B)
    bundle.verify_result_with_bundled_expected_output("forward", 1, rtol=1e-3)
    with pytest.raises(ExecuTorchError, match=r"Output 0 differs at element 0: 10, expected 10\.00"):
        bundle.verify_result_with_bundled_expected_output("forward", 1)
    with pytest.raises(ExecuTorchError, match="has no expected outputs"):
        bundle.verify_result_with_bundled_expected_output("forward", 2)
    with pytest.raises(ExecuTorchError, match="Test case 3 of method forward was asked for, there are 3"):
        bundle.verify_result_with_bundled_expected_output("forward", 3)
    with pytest.raises(MethodNotFoundError, match="the program has 'forward'"):
        bundle.verify_result_with_bundled_expected_output("decode", 0)
    module = _load_for_executorch_from_bundled_program(bundle, enable_etdump=True)
    del bundle
    assert np.array_equal(module.forward([A, B])[0], A + B) and module.has_etdump()


@pytest.mark.parametrize("step", [1, 7])
def test_damaged_bundles_are_refused(step: int) -> None:
    whole = _bundle(([A, B], [A + B]))
    with pytest.raises(ExecuTorchError, match="without test cases"):
        _load_bundled_program_from_buffer(AddProgram().build())
    with pytest.raises(ExecuTorchError):
        _load_bundled_program_from_buffer(b"abc")
    for size in range(8, len(whole), 64 * step):
        with pytest.raises(ExecuTorchError):
            _load_bundled_program_from_buffer(whole[:size])
    for at in range(8, len(whole) - AddProgram().build().__len__(), step):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        try:
            _load_bundled_program_from_buffer(bytes(damaged)).verify_result_with_bundled_expected_output(
                "forward", 0
            )
        except ExecuTorchError:
            continue


def test_threads() -> None:
    before = _threadpool_get_thread_count()
    assert before >= 1
    _unsafe_reset_threadpool(2)
    assert _threadpool_get_thread_count() == 2
    _unsafe_reset_threadpool(before)
    with pytest.raises(TypeError):
        _unsafe_reset_threadpool(-1)


def test_the_retired_profiler_is_silent() -> None:
    portable_lib._create_profile_block("block")
    assert portable_lib._dump_profile_results() == b""
    portable_lib._reset_profile_results()


def test_a_single_tensor_needs_no_list() -> None:
    module = _load_for_executorch_from_buffer(
        AddProgram(external=True).build(), AddProgram(external=True).build_data(B.tobytes())
    )
    assert np.array_equal(module(A)[0], A + B) and np.array_equal(module.forward(A)[0], A + B)


def test_other_documented_names() -> None:
    from executorch.extension.pybindings import _C, _portable_lib

    for name in portable_lib.__all__:
        assert getattr(_C, name) is getattr(_portable_lib, name) is getattr(portable_lib, name)


def test_failures_of_a_run_end_with_the_released_line(module: ExecuTorchModule) -> None:
    with pytest.raises(RuntimeError, match=r"Failed to execute method forward, error: 0x12$") as caught:
        module.run_method("forward", [A])
    assert isinstance(caught.value, ExecuTorchError) and caught.value.code == 0x12
    with pytest.raises(KeyError, match="Failed to execute method decode, error: 0x12"):
        module.run_method("decode", [A, B])


def test_everything_documented_is_there() -> None:
    for name in portable_lib.__all__:
        assert hasattr(portable_lib, name)
