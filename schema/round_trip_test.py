"""Generated readers and writers, with the FlatBuffers compiler as the oracle."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.schema import bundled_program, etdump, flat_tensor, program
from executorch.schema.example_for_tests import example
from executorch.schema.scalar_type import ScalarType
from executorch.schema.wire import FormatError

HERE = pathlib.Path(__file__).parent


def flatc() -> str:
    """The compiler: from Bazel by environment, else from the Python environment that runs the tests."""
    found = os.environ.get("FLATC") or shutil.which("flatc", path=str(pathlib.Path(sys.executable).parent))
    assert found, "the tests need flatc; set FLATC to it"
    return str(pathlib.Path(found).absolute())


def as_json(data: bytes, schema: str, directory: pathlib.Path) -> dict:
    """What flatc reads out of a file."""
    (directory / "file.bin").write_bytes(data)
    command = [flatc(), "--json", "--strict-json", "--raw-binary", "--defaults-json", "-o", str(directory)]
    subprocess.run([*command, str(HERE / f"{schema}.fbs"), "--", str(directory / "file.bin")], check=True)
    return json.loads((directory / "file.json").read_text())


def from_json(content: dict, schema: str, directory: pathlib.Path) -> bytes:
    """A file that flatc wrote."""
    (directory / "content.json").write_text(json.dumps(content))
    command = [flatc(), "--binary", "-o", str(directory), str(HERE / f"{schema}.fbs")]
    subprocess.run([*command, str(directory / "content.json")], check=True)
    return next(
        path for path in directory.iterdir() if path.stem == "content" and path.suffix != ".json"
    ).read_bytes()


def test_python_reads_what_python_wrote():
    data = program.write_program(example()).tobytes()
    assert program.read_program(data) == example()


def test_writing_is_deterministic():
    assert program.write_program(example()).tobytes() == program.write_program(example()).tobytes()


def test_flatc_reads_what_python_wrote(tmp_path):
    content = as_json(program.write_program(example()).tobytes(), "program", tmp_path)
    plan = content["execution_plan"][0]
    assert [value["val_type"] for value in plan["values"]] == [
        *("Null", "Int", "Bool", "Double", "Tensor", "String", "IntList"),
        *("DoubleList", "BoolList", "TensorList", "OptionalTensorList"),
    ]
    assert plan["values"][1]["val"]["int_val"] == -(2**63)
    tensor = plan["values"][4]["val"]
    assert tensor["scalar_type"] == "HALF"
    assert tensor["allocation_info"] == {
        "memory_id": 1,
        "memory_offset_low": 0xFFFFFFF0,
        "memory_offset_high": 3,
    }
    assert tensor["extra_tensor_info"]["fully_qualified_name"] == "layer.weight"
    assert plan["non_const_buffer_sizes"] == [0, 2**40]
    assert plan["non_const_buffer_device"][0]["device_index"] == -1
    assert plan["delegates"][0]["compile_specs"] == [{"key": "key", "value": [0, 255]}]
    assert content["named_data"] == [{"key": "key", "segment_index": 2}]
    assert content["constant_buffer"][0]["storage"] == list(b"abc")


def test_python_reads_what_flatc_wrote(tmp_path):
    content = as_json(program.write_program(example()).tobytes(), "program", tmp_path)
    # JSON has no negative zero in flatc's writing; the rest must come back as it was.
    content["execution_plan"][0]["values"][3]["val"]["double_val"] = 1e300
    expected = example()
    expected.execution_plan[0].values[3] = program.EValue(program.Double(1e300))
    assert program.read_program(from_json(content, "program", tmp_path)) == expected


def test_payloads_in_the_flatbuffer_are_aligned():
    for alignment in (16, 128):
        data = program.write_program(example(), {"BackendDelegateInlineData.data": alignment}).tobytes()
        assert data.index(b"blob") % alignment == 0
        assert data.index(b"abc") % 16 == 0


def test_absent_and_empty_are_told_apart_where_it_matters():
    plan = program.ExecutionPlan(chains=[program.Chain(stacktrace=None), program.Chain(stacktrace=[])])
    root = program.Program(execution_plan=[plan], named_data=[])
    again = program.read_program(program.write_program(root).tobytes())
    assert again == root
    assert again.named_data == [] and again.mutable_data_segments is None


def test_halves_of_an_offset_are_one_number():
    assert program.AllocationDetails(1, 5, 2).memory_offset == 2 * 2**32 + 5


def test_flat_tensor(tmp_path):
    layout = flat_tensor.TensorLayout(ScalarType.BFLOAT16, [4, 5], [0, 1])
    root = flat_tensor.FlatTensor(
        segments=[flat_tensor.DataSegment(0, 40)],
        named_data=[flat_tensor.NamedData("w", 0, layout), flat_tensor.NamedData("blob", 0)],
    )
    data = flat_tensor.write_flat_tensor(root).tobytes()
    assert flat_tensor.read_flat_tensor(data) == root
    assert (
        as_json(data, "flat_tensor", tmp_path)["named_data"][0]["tensor_layout"]["scalar_type"] == "BFLOAT16"
    )


def test_bundled_program(tmp_path):
    tensor = bundled_program.Tensor(ScalarType.FLOAT, [1], b"\x00\x00\x80\x3f", [0])
    values = [
        bundled_program.Value(value) for value in (tensor, bundled_program.Int(3), bundled_program.Bool(True))
    ]
    suite = bundled_program.BundledMethodTestSuite(
        "forward", [bundled_program.BundledMethodTestCase(values, [])]
    )
    root = bundled_program.BundledProgram(2, [suite], b"\x01" * 77)
    data = bundled_program.write_bundled_program(root).tobytes()
    assert bundled_program.read_bundled_program(data) == root
    assert data.index(b"\x01" * 77) % 32 == 0
    assert as_json(data, "bundled_program", tmp_path)["method_test_suites"][0]["method_name"] == "forward"


def test_etdump(tmp_path):
    event = etdump.ProfileEvent("op", 0, 3, start_time=2**63, end_time=2**64 - 1)
    value = etdump.Value(etdump.ValueType.Float, float_value=etdump.Float(0.5))
    events = [
        etdump.Event(profile_event=event),
        etdump.Event(debug_event=etdump.DebugEvent(debug_entry=value)),
    ]
    root = etdump.ETDump(0, [etdump.RunData("run", events=events)])
    data = etdump.write_etdump(root).tobytes()
    assert etdump.read_etdump(data) == root
    content = as_json(data, "etdump", tmp_path)["run_data"][0]
    assert content["bundled_input_index"] == -1
    assert content["events"][0]["profile_event"]["end_time"] == 2**64 - 1
    assert content["events"][0]["profile_event"]["delegate_debug_id_int"] == -1


def test_members_of_a_union_are_checked():
    root = program.Program(execution_plan=[program.ExecutionPlan(values=[program.EValue("text")])])
    with pytest.raises(FormatError, match=r"EValue\.val: no member of KernelTypes: 'text'"):
        program.write_program(root)


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_damage_never_does_worse_than_an_error(data):
    original = program.write_program(example()).tobytes()
    damaged = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    length = data.draw(st.integers(0, len(damaged)))
    try:
        found = program.read_program(bytes(damaged[:length] if data.draw(st.booleans()) else damaged))
    except FormatError:
        return
    assert isinstance(found, program.Program)


def seconds(count: int) -> float:
    """Processor time of writing and reading a program with `count` values; the best of three."""
    plan = program.ExecutionPlan(values=[program.EValue(program.Int(i + 1)) for i in range(count)])
    times = []
    for _ in range(3):
        start = time.process_time()
        program.read_program(program.write_program(program.Program(execution_plan=[plan])).tobytes())
        times.append(time.process_time() - start)
    return min(times)


def test_time_grows_linearly_with_size():
    # Eight times the size: linear work takes 8 times as long, quadratic work 64 times.
    assert seconds(8_000) < 24 * seconds(1_000)
