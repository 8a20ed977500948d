"""What goes wrong says so: one family of exceptions, the documented code, what was expected and what came."""

from __future__ import annotations

import io
import pathlib
import pickle
import random
import sys
from typing import Any

import numpy as np
import pytest

from executorch.runtime import (
    Error,
    ExecuTorchError,
    InputTypeError,
    InvalidInputError,
    Method,
    MethodNotFoundError,
    ProgramFileNotFoundError,
    Runtime,
    Verification,
)
from executorch.runtime.python.programs_for_tests import AddProgram, values_program
from executorch.schema.program import Bool, Double, Int
from executorch.schema.scalar_type import ScalarType

A = np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs are NumPy arrays as long as the process does not have torch."""
    monkeypatch.delitem(sys.modules, "torch", raising=False)


def load(data: Any, **arguments: Any) -> Any:
    return Runtime.get().load_program(data, **arguments)


def add_method(**arguments: Any) -> Method:
    return load(AddProgram(**arguments).build()).load_method("forward")


class TestFiles:
    def test_missing_file(self, tmp_path: pathlib.Path) -> None:
        path = tmp_path / "absent.pte"
        with pytest.raises(ProgramFileNotFoundError, match=r"absent\.pte failed with error 0x22") as caught:
            load(path)
        error = caught.value
        assert isinstance(error, (ExecuTorchError, FileNotFoundError)) and isinstance(error, RuntimeError)
        assert error.code == Error.AccessFailed
        assert "No such file" in str(error)

    def test_missing_external_data_file(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(FileNotFoundError, match=r"absent\.ptd"):
            load(AddProgram(external=True).build(), data_path=tmp_path / "absent.ptd")

    def test_directory(self, tmp_path: pathlib.Path) -> None:
        with pytest.raises(ExecuTorchError, match="not a regular file") as caught:
            load(tmp_path)
        assert not isinstance(caught.value, FileNotFoundError)

    @pytest.mark.parametrize("verification", list(Verification))
    @pytest.mark.parametrize(
        "contents",
        [b"", b"x", b"x" * 63, b"x" * 64, b"x" * 10000, bytes(1000), AddProgram().build_data(b"x" * 24)],
    )
    def test_foreign_contents(
        self, tmp_path: pathlib.Path, contents: bytes, verification: Verification
    ) -> None:
        path = tmp_path / "foreign.pte"
        path.write_bytes(contents)
        for source in (path, contents, io.BytesIO(contents)):
            with pytest.raises(ExecuTorchError) as caught:
                load(source, verification=verification)
            assert caught.value.code in (Error.InvalidProgram, Error.InvalidArgument)
            assert caught.value.log and caught.value.log[0] in str(caught.value)

    @pytest.mark.parametrize(
        ("head", "reason"),
        [
            (b"PK\x03\x04", "zip archive.*to_executorch"),
            (b"\x80\x02}q\x00", "a pickle"),
            (b"GGUF\x03", "GGUF"),
            (b"\x1c\0\0\0FT01", "give this as data_path"),
            (b"\x1c\0\0\0ET11", "version of the file format"),
            (b"hello world", "no 'ET12' at byte 4"),
            (b"", "there are no bytes"),
        ],
    )
    def test_foreign_contents_are_called_by_their_name(
        self, tmp_path: pathlib.Path, head: bytes, reason: str
    ) -> None:
        contents = head.ljust(100 if head else 0, b"x")
        path = tmp_path / "foreign.pte"
        path.write_bytes(contents)
        for source in (path, contents):
            with pytest.raises(ExecuTorchError, match=reason):
                load(source)

    @pytest.mark.parametrize("version", [1, 2**32 - 1])
    def test_newer_schema_versions(self, version: int) -> None:
        spec = AddProgram(external=True, version=version)
        with pytest.raises(
            ExecuTorchError, match=f"schema version {version}, this runtime reads up to 0"
        ) as caught:
            load(spec.build())
        assert caught.value.code == Error.InvalidProgram
        with pytest.raises(
            ExecuTorchError, match=f"schema version {version}, this runtime reads up to 0"
        ) as caught:
            load(AddProgram(external=True).build(), data_path=spec.build_data(A.tobytes()))
        assert caught.value.code == Error.InvalidExternalData

    @pytest.mark.parametrize("verification", list(Verification))
    def test_every_truncation(self, verification: Verification) -> None:
        data = AddProgram().build()
        for size in range(len(data)):
            with pytest.raises(ExecuTorchError):
                load(data[:size], verification=verification)

    @pytest.mark.parametrize("source", [None, 3, 1.5, ["a"], io.StringIO("text"), object()])
    def test_no_source_at_all(self, source: Any) -> None:
        with pytest.raises(ExecuTorchError) as caught:
            load(source)
        assert isinstance(caught.value, TypeError)

    def test_wrong_external_data(self) -> None:
        spec = AddProgram(external=True)
        for data in (b"", b"x" * 1000, spec.build()):
            with pytest.raises(ExecuTorchError) as caught:
                load(spec.build(), data_path=data)
            assert caught.value.code == Error.InvalidExternalData
        right = spec.build_data(A.tobytes())
        with pytest.raises(ExecuTorchError, match="more than one named data map"):
            load(spec.build(), data_path=[right, right])


class TestMethods:
    def test_missing_method(self) -> None:
        program = load(AddProgram(methods=["forward", "encode"]).build())
        for call in (program.load_method, program.metadata):
            with pytest.raises(MethodNotFoundError, match=r"'decode'.*\n.*'forward', 'encode'") as caught:
                call("decode")
            assert isinstance(caught.value, KeyError) and isinstance(caught.value, ExecuTorchError)

    def test_missing_operator_is_named(self) -> None:
        program = load(AddProgram(operator=("made::up", "out")).build())
        with pytest.raises(ExecuTorchError, match="0x14 OperatorMissing") as caught:
            program.load_method("forward")
        assert caught.value.code == Error.OperatorMissing
        assert "made::up.out" in str(caught.value)

    def test_missing_external_data_is_asked_for(self) -> None:
        spec = AddProgram(external=True)
        with pytest.raises(ExecuTorchError, match=r"\.ptd") as caught:
            load(spec.build()).load_method("forward")
        assert caught.value.code == Error.InvalidState
        with pytest.raises(ExecuTorchError, match="b"):
            load(spec.build(), data_path=spec.build_data(A.tobytes(), "other")).load_method("forward")
        small = AddProgram(external=True, sizes=[1, 3]).build_data(A[0].tobytes())
        with pytest.raises(ExecuTorchError) as caught:
            load(spec.build(), data_path=small).load_method("forward")
        assert caught.value.code == Error.InvalidExternalData

    def test_names_that_are_no_utf8(self) -> None:
        data = AddProgram(methods=["XYZZY"], operator=("PLUGH::op", "out")).build()
        broken = data.replace(b"XYZZY", b"\xff\xfe\x80ZY").replace(b"PLUGH", b"\xc0\xc1\xf5UG")
        program = load(broken)
        (name,) = program.method_names
        assert name.endswith("ZY")
        with pytest.raises(MethodNotFoundError, match="ZY"):
            program.load_method("forward")
        with pytest.raises(ExecuTorchError):
            program.load_method(name)


class TestInputs:
    @pytest.mark.parametrize("planned", [True, False])
    @pytest.mark.parametrize(
        "inputs, code, kind, text",
        [
            ([], 0x12, InvalidInputError, "expected 2 input(s), found 0"),
            ([A], 0x12, InvalidInputError, "expected 2 input(s), found 1"),
            ([A, A, A], 0x12, InvalidInputError, "expected 2 input(s), found 3"),
            (
                [A.astype(np.float64), A],
                0x12,
                InvalidInputError,
                "input 0 .*float32.2, 3., found float64.2, 3.",
            ),
            ([A, A.astype(np.int32)], 0x12, InvalidInputError, "input 1 .*float32.2, 3., found int32.2, 3."),
            ([A[0], A], 0x12, InvalidInputError, "float32.2, 3., found float32.3."),
            ([A[None], A], 0x12, InvalidInputError, "float32.2, 3., found float32.1, 2, 3."),
            ([A.T.copy(), A], 0x10, InvalidInputError, "float32.2, 3., found float32.3, 2."),
            ([A, A[:1]], 0x10, InvalidInputError, "input 1 .*float32.2, 3., found float32.1, 3."),
            ([None, A], 0x12, InputTypeError, "found None"),
            ([A, 3.5], 0x12, InputTypeError, "found a float"),
            ([A, "text"], 0x12, InputTypeError, "found a str"),
            ([A, [[1.0, 2.0, 3.0]] * 2], 0x12, InputTypeError, "found a list"),
            ([A, np.array(["x", "y"])], 0x12, InputTypeError, "input 1 .*dtype"),
            ([A, A.astype(">f4")], 0x12, InputTypeError, "'>f'"),
            (A, 0x12, InputTypeError, "list of inputs, not a single ndarray"),
            (3, 0x12, InputTypeError, "list of inputs, not a int"),
        ],
    )
    def test_wrong_inputs(self, planned: bool, inputs: Any, code: int, kind: type, text: str) -> None:
        method = add_method(plan_inputs=planned)
        with pytest.raises(kind, match="(?s)" + text.replace("(s)", r"\(s\)")) as caught:
            method.execute(inputs)
        assert caught.value.code == code
        assert f"0x{code:02x}" in str(caught.value)
        assert np.array_equal(method.execute([A, A])[0], A + A), "the method can be used again"

    @pytest.mark.parametrize(
        "value, right, wrong_values, wrong_kinds",
        [
            (Int(3), 3, [4, 1 << 70], [3.0, True, None, "3", np.ones(2, np.int64)]),
            (Double(0.5), 0.5, [0.25, 1], [True, None, A]),
            (Bool(True), True, [False], [1, None]),
        ],
    )
    def test_numbers_that_were_fixed_at_export(
        self, value: Any, right: Any, wrong_values: list[Any], wrong_kinds: list[Any]
    ) -> None:
        method = load(values_program(value, inputs=[0])).load_method("forward")
        for wrong in wrong_values:
            with pytest.raises(InvalidInputError, match="input 0 "):
                method.execute([wrong])
        for wrong in wrong_kinds:
            with pytest.raises(InputTypeError, match="input 0 "):
                method.execute([wrong])
        assert method.execute([right]) == [right]

    def test_dynamic_sizes_over_their_bound(self) -> None:
        method = add_method(sizes=[2, 3], dynamic=True)
        with pytest.raises(InvalidInputError, match=r"found float32\[3, 3\]"):
            method.execute([np.ones((3, 3), np.float32), np.ones((3, 3), np.float32)])
        assert np.array_equal(method.execute([A, A])[0], A + A)

    def test_foreign_code_that_fails(self) -> None:
        class Broken:
            def __dlpack__(self) -> object:
                raise ValueError("out of order")

        with pytest.raises(InputTypeError, match="out of order"):
            add_method().execute([Broken(), A])

    def test_lists_that_change_while_they_are_read(self) -> None:
        inputs: list[Any] = []

        class Shrinking:
            def __dlpack__(self) -> object:
                inputs.clear()
                return A.__dlpack__()

        inputs += [Shrinking(), A]
        with pytest.raises(IndexError):
            add_method().execute(inputs)

    def test_shapes_that_a_kernel_refuses(self) -> None:
        method = add_method(dynamic=True)
        with pytest.raises(ExecuTorchError, match="executing method 'forward'") as caught:
            method.execute([A, np.ones((2, 2), np.float32)])
        assert caught.value.log
        assert np.array_equal(method.execute([A, A])[0], A + A)


class TestTheFamily:
    def test_all_are_runtime_errors(self) -> None:
        for kind in (ProgramFileNotFoundError, MethodNotFoundError, InvalidInputError, InputTypeError):
            assert issubclass(kind, ExecuTorchError)
        assert issubclass(ExecuTorchError, RuntimeError)
        assert issubclass(InvalidInputError, ValueError) and issubclass(InputTypeError, TypeError)

    @pytest.mark.parametrize(
        "kind",
        [ExecuTorchError, ProgramFileNotFoundError, MethodNotFoundError, InvalidInputError, InputTypeError],
    )
    def test_they_survive_pickling(self, kind: type[ExecuTorchError]) -> None:
        error = kind("doing this", Error.NotFound, ["first line", "second line"])
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is kind
        assert str(copy) == "doing this failed with error 0x20 NotFound\n  first line\n  second line"
        assert copy.code is Error.NotFound and copy.log == error.log

    def test_log_lines_of_a_failure_do_not_go_to_stderr(self, capfd: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(ExecuTorchError):
            load(b"x" * 1000)
        assert capfd.readouterr().err == ""


def test_damaged_programs_never_crash() -> None:
    """Every outcome is fine but a crash, an exception of another family, or an endless run."""
    bases = [
        AddProgram().build(),
        AddProgram(plan_inputs=False, plan_outputs=False, dynamic=True, dtype=ScalarType.INT).build(),
        values_program(Int(3), Int(4), methods=["forward", "other"]),
    ]
    chance = random.Random(20240607)
    loaded = 0
    for round_number in range(3000):
        data = bytearray(bases[round_number % len(bases)])
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(8, len(data))
            if chance.random() < 0.5:
                data[place] ^= 1 << chance.randrange(8)
            else:
                data[place : place + 4] = chance.choice(
                    [b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\0\0\0\0", b"\x10\0\0\0"]
                )
        try:
            program = load(bytes(data), verification=chance.choice(list(Verification)))
            for name in program.method_names:
                method = program.load_method(name)
                meta = method.metadata
                inputs = []
                for i in range(meta.num_inputs()):
                    info = meta.input_tensor_meta(i) if meta.input_kind(i) == "tensor" else None
                    inputs.append(
                        np.ones(info.sizes(), info.dtype_name()) if info and info.nbytes() < 1 << 20 else 1
                    )
                method.execute(inputs)
                loaded += 1
        except (ExecuTorchError, TypeError):
            # NumPy says TypeError for dtypes that it does not have.
            pass
    assert loaded > 100, "nothing but damage: the test does not reach execution"
