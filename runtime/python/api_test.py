"""`executorch.runtime` with NumPy arrays: loading, running, metadata, lifetimes, threads, import cost."""

from __future__ import annotations

import array
import gc
import io
import os
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from executorch.runtime import (
    ExecuTorchError,
    MethodMeta,
    MethodMetadata,
    OutOfRangeError,
    Program,
    Runtime,
    ScalarType,
    TensorInfo,
    Verification,
)
from executorch.runtime.python.programs_for_tests import AddProgram, values_program
from executorch.schema.element_types import CPP_NAMES
from executorch.schema.program import Bool, Double, Int, Null, String
from executorch.schema.scalar_type import ScalarType as SchemaType

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = 10 * np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs are NumPy arrays as long as the process does not have torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)


def load(program: AddProgram | bytes) -> Program:
    data = program if isinstance(program, bytes) else program.build()
    return Runtime.get().load_program(data)


class TestLoading:
    def test_there_is_one_runtime(self) -> None:
        assert Runtime.get() is Runtime.get()

    @pytest.mark.parametrize("verification", list(Verification))
    def test_every_kind_of_source(self, tmp_path: pathlib.Path, verification: Verification) -> None:
        data = AddProgram().build()
        path = tmp_path / "modèle.pte"
        path.write_bytes(data)
        with open(path, "rb") as file:
            sources = [str(path), path, data, bytearray(data), memoryview(data), io.BytesIO(data), file]
            for source in sources:
                program = Runtime.get().load_program(source, verification=verification)
                assert program.method_names == {"forward"}
                assert np.array_equal(program.load_method("forward").execute([A, B])[0], A + B)

    def test_buffers_of_any_alignment(self) -> None:
        data = AddProgram().build()
        for shift in range(1, 17):
            shifted = memoryview(bytes(shift) + data)[shift:]
            assert Runtime.get().load_program(shifted).method_names == {"forward"}

    def test_a_mutable_buffer_may_change_afterwards(self) -> None:
        data = bytearray(AddProgram().build())
        program = Runtime.get().load_program(data)
        data[:] = bytes(len(data))
        assert np.array_equal(program.load_method("forward").execute([A, B])[0], A + B)

    def test_a_small_file_may_be_written_again(self, tmp_path: pathlib.Path) -> None:
        path = tmp_path / "model.pte"
        path.write_bytes(AddProgram().build())
        program = Runtime.get().load_program(path)
        path.write_bytes(b"")
        assert np.array_equal(program.load_method("forward").execute([A, B])[0], A + B)

    def test_external_data(self, tmp_path: pathlib.Path) -> None:
        spec = AddProgram(external=True)
        data = spec.build_data(B.tobytes())
        other = spec.build_data(B.tobytes(), "other")
        path = tmp_path / "weights.ptd"
        path.write_bytes(data)
        for source in (path, str(path), data, [path], [other, data]):
            program = Runtime.get().load_program(spec.build(), data_path=source)
            assert np.array_equal(program.load_method("forward").execute([A])[0], A + B)


class TestMetadata:
    def test_programs_and_methods_describe_themselves(self) -> None:
        program = load(AddProgram(methods=["forward", "encode"], dtype=SchemaType.INT))
        assert program.method_names == {"forward", "encode"}
        for meta in (program.metadata("encode"), program.load_method("encode").metadata):
            assert isinstance(meta, MethodMeta) and MethodMetadata is MethodMeta
            assert meta.name() == "encode"
            assert (meta.num_inputs(), meta.num_outputs(), meta.num_attributes()) == (2, 1, 0)
            info = meta.input_tensor_meta(1)
            assert isinstance(info, TensorInfo)
            assert info.sizes() == (2, 3)
            assert info.dim_order() == (0, 1)
            assert info.dtype() == ScalarType.Int and info.dtype_name() == "int32"
            assert info.nbytes() == 24
            assert info.is_memory_planned()
            assert meta.output_tensor_meta(0).nbytes() == 24
            assert meta.num_memory_planned_buffers() == 1
            assert meta.memory_planned_buffer_size(0) == 96
            assert meta.num_instructions() == 1
            assert meta.backend_names() == [] and not meta.uses_backend("XnnpackBackend")
            assert meta.input_kind(0) == "tensor"
            described = "TensorInfo(sizes=[2, 3], dtype=Int, is_memory_planned=True, nbytes=24)"
            assert repr(info) == described
            assert repr(meta) == (
                f"MethodMeta(name='encode', num_inputs=2, input_tensor_meta=['{described}', '{described}'], "
                f"num_outputs=1, output_tensor_meta=['{described}'])"
            )

    def test_element_types_are_those_of_the_files(self) -> None:
        assert {int(kind): kind.name for kind in ScalarType} == CPP_NAMES

    def test_indices_out_of_range(self) -> None:
        meta = load(AddProgram()).metadata("forward")
        for call in (meta.input_tensor_meta, meta.output_tensor_meta, meta.memory_planned_buffer_size):
            with pytest.raises(IndexError, match="2 of method 'forward'") as caught:
                call(2)
            assert isinstance(caught.value, ExecuTorchError)
        with pytest.raises(OutOfRangeError, match="attribute 0"):
            meta.attribute_tensor_meta(0)

    def test_metadata_outlives_the_program(self) -> None:
        info = load(AddProgram()).metadata("forward").input_tensor_meta(0)
        gc.collect()
        assert info.sizes() == (2, 3)


class TestRegistries:
    def test_operators(self) -> None:
        names = Runtime.get().operator_registry.operator_names
        assert isinstance(names, set)
        assert "aten::add.out" in names and "executorch_prim::add.Scalar" in names

    def test_backends(self) -> None:
        registry = Runtime.get().backend_registry
        assert isinstance(registry.registered_backend_names, list)
        assert not registry.is_available("NoSuchBackend")
        assert all(
            isinstance(registry.is_available(name), bool) for name in registry.registered_backend_names
        )


class TestExecuting:
    @pytest.mark.parametrize("planned", [True, False])
    def test_results_are_numpy_arrays(self, planned: bool) -> None:
        method = load(AddProgram(plan_inputs=planned, plan_outputs=planned)).load_method("forward")
        for inputs in ([A, B], (A, B)):
            (output,) = method.execute(inputs)
            assert type(output) is np.ndarray
            assert output.dtype == np.float32 and output.shape == (2, 3) and output.flags.writeable
            assert np.array_equal(output, A + B)

    @pytest.mark.parametrize(
        "dtype, numpy_type",
        [
            (SchemaType.BYTE, np.uint8),
            (SchemaType.CHAR, np.int8),
            (SchemaType.SHORT, np.int16),
            (SchemaType.INT, np.int32),
            (SchemaType.LONG, np.int64),
            (SchemaType.HALF, np.float16),
            (SchemaType.FLOAT, np.float32),
            (SchemaType.DOUBLE, np.float64),
        ],
    )
    def test_dtypes(self, dtype: SchemaType, numpy_type: type) -> None:
        method = load(AddProgram(dtype=dtype)).load_method("forward")
        a, b = A.astype(numpy_type), B.astype(numpy_type)
        (output,) = method.execute([a, b])
        assert output.dtype == numpy_type
        assert np.array_equal(output, a + b)

    def test_other_sources_of_arrays(self) -> None:
        method = load(AddProgram(sizes=[6])).load_method("forward")
        flat = A.ravel()

        class OnlyDlpack:
            def __dlpack__(self) -> object:
                return flat.__dlpack__()

        for value in (array.array("f", flat), memoryview(flat), OnlyDlpack()):
            assert np.array_equal(method.execute([value, flat])[0], 2 * flat)

    @pytest.mark.parametrize("planned", [True, False])
    def test_any_layout_of_the_input_means_the_same(self, planned: bool) -> None:
        padded = np.zeros((4, 6), np.float32)
        padded[::2, ::2] = A
        layouts = [
            np.asfortranarray(A),
            padded[::2, ::2],
            A[::-1].copy()[::-1],
            A[:, ::-1].copy()[:, ::-1],
            np.broadcast_to(A[:1], (2, 3)),
            np.frombuffer(b"\0" + A.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3),
        ]
        for dim_order in ([0, 1], [1, 0]):
            spec = AddProgram(dim_order=dim_order, plan_inputs=planned, plan_outputs=planned)
            method = load(spec).load_method("forward")
            for a in layouts:
                (output,) = method.execute([a, B])
                assert np.array_equal(output, a + B)
                assert output.flags["C_CONTIGUOUS"] == (dim_order == [0, 1])

    def test_dynamic_shapes(self) -> None:
        method = load(AddProgram(sizes=[4, 3], dynamic=True)).load_method("forward")
        for rows in (4, 1, 0, 3):
            a = np.ones((rows, 3), np.float32)
            (output,) = method.execute([a, a])
            assert output.shape == (rows, 3)
            assert np.array_equal(output, 2 * a)

    def test_scalars_and_strings(self) -> None:
        program = values_program(Int(-3), Double(0.5), Bool(True), String("grüß"), Null())
        assert load(program).load_method("forward").execute() == [-3, 0.5, True, "grüß", None]

    def test_methods_are_independent(self) -> None:
        program = load(AddProgram(methods=["forward", "encode"]))
        first, second = program.load_method("forward"), program.load_method("encode")
        (kept,) = first.execute([A, B], clone_outputs=False)
        second.execute([B, B])
        program.load_method("forward").execute([B, B])
        assert np.array_equal(kept, A + B)


class TestLifetimes:
    @pytest.mark.parametrize("planned", [True, False])
    def test_outputs_survive_everything(self, planned: bool) -> None:
        program = load(AddProgram(plan_inputs=planned, plan_outputs=planned))
        method = program.load_method("forward")
        copies = [method.execute([A + i, B])[0] for i in range(3)]
        (view,) = method.execute([A, B], clone_outputs=False)
        del method, program
        gc.collect()
        junk = [np.full(1000, np.nan, np.float32) for _ in range(100)]
        assert np.array_equal(view, A + B)
        for i, copy in enumerate(copies):
            assert np.array_equal(copy, A + i + B)
        del junk

    def test_views_show_the_next_run(self) -> None:
        method = load(AddProgram()).load_method("forward")
        (view,) = method.execute([A, B], clone_outputs=False)
        method.execute([B, B])
        assert np.array_equal(view, B + B)

    def test_writing_to_an_output_harms_nobody(self) -> None:
        method = load(AddProgram(plan_outputs=False)).load_method("forward")
        (first,) = method.execute([A, B])
        first[:] = 0
        (second,) = method.execute([A, B])
        assert np.array_equal(second, A + B) and not first.any()

    def test_inputs_are_released(self) -> None:
        method = load(AddProgram()).load_method("forward")
        a = A.copy()
        before = sys.getrefcount(a)
        for _ in range(10):
            method.execute([a, B])
        assert sys.getrefcount(a) == before
        in_place = load(AddProgram(plan_inputs=False)).load_method("forward")
        for _ in range(10):
            in_place.execute([a, B])
        in_place.execute([A, B])
        assert sys.getrefcount(a) == before, "at most the inputs of the last run are kept"


class TestThreads:
    def test_one_method_from_many_threads(self) -> None:
        method = load(AddProgram(plan_inputs=False)).load_method("forward")
        failures: list[int] = []

        def work(n: int) -> None:
            a = np.full((2, 3), n, np.float32)
            for _ in range(200):
                if not np.array_equal(method.execute([a, B])[0], a + B):
                    failures.append(n)

        run_threads(work, 4)
        assert not failures

    def test_methods_of_one_program(self) -> None:
        program = load(AddProgram())

        def work(n: int) -> None:
            a = np.full((2, 3), n, np.float32)
            for _ in range(30):
                assert np.array_equal(program.load_method("forward").execute([a, B])[0], a + B)

        run_threads(work, 4)

    def test_python_goes_on_while_a_method_runs(self) -> None:
        size = 1 << 22
        method = load(AddProgram(sizes=[size], plan_inputs=False, plan_outputs=False)).load_method("forward")
        a = np.ones(size, np.float32)
        method.execute([a, a])
        done = threading.Event()

        def work() -> None:
            for _ in range(5):
                method.execute([a, a])
            done.set()

        thread = threading.Thread(target=work)
        ticks = 0
        thread.start()
        while not done.is_set():
            ticks += 1
            time.sleep(0.0005)
        thread.join()
        assert ticks > 5, "the GIL was held"


def run_threads(work: object, count: int) -> None:
    errors: list[BaseException] = []

    def guarded(n: int) -> None:
        try:
            work(n)  # type: ignore[operator]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_importing_needs_neither_torch_nor_numpy() -> None:
    script = (
        "import sys, executorch.runtime\n"
        "assert executorch.runtime.Runtime.get().operator_registry.operator_names\n"
        "print(sorted({'torch', 'numpy', 'flatbuffers'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    result = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"
