"""Inspection: everything that a file holds is named, corrupt files are explained, nothing raises."""

import dataclasses
import json
import re
import struct
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.emitter import (
    DataEntry,
    DataPayload,
    FlatTensorSerializer,
    PTEFile,
    deserialize_pte_binary,
    emit_program,
    serialize_pte,
    serialize_pte_binary,
)
from executorch.emitter.inspection import inspect_bytes, to_html, to_text
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema import program as schema
from executorch.schema.flat_tensor import TensorLayout
from executorch.schema.program import CompileSpec
from executorch.schema.scalar_type import ScalarType

ops = torch.ops.aten


def method():
    """x (bounded) -> delegate -> + weight -> relu; the state becomes state + x; one weight is external."""
    graph = ExecutionGraph()
    weight = graph.constant(torch.ones(2, 3), name="layer.weight")
    bias = graph.constant(torch.ones(2, 3), name="layer.bias", external="weights")
    state = graph.buffer(torch.arange(6.0).reshape(2, 3), name="state")
    x = graph.input(2, 3, bounded=True)
    lowered = SimpleNamespace(
        backend_id="DemoBackend",
        processed_bytes=b"compiled" * 5,
        compile_specs=[CompileSpec("level", b"3")],
        named_data_store_output=None,
        meta={},
    )
    (made,) = graph.delegate(lowered, x, shapes=[(2, 3)])
    result = graph.call(ops.relu.out, graph.add(graph.add(made, weight), bias), shape=(2, 3))
    graph.write_back(state, graph.add(state, x))
    return planned(graph.output(result), MemoryPlanningPass(alloc_graph_input=False).run)


@pytest.fixture(scope="module")
def files():
    output = emit_program({"forward": method()}, prim_getters={"get_version": 3})
    return serialize_pte(output)


@pytest.fixture(scope="module")
def pte(files):
    return bytes(files.pte)


def section(report, title):
    return next(found for found in report.sections if found.title.startswith(title))


def test_a_program_is_described(pte):
    report = inspect_bytes(pte)
    assert report.problems == []
    text = to_text(report)
    assert "input 0   float32[<=2, <=3]  supplied by the caller" in text
    assert "output 0  float32[2, 3]      memory 1" in text
    assert section(report, "Operators").rows == [
        (3, "aten::add.out"),
        (1, "aten::copy_"),
        (1, "aten::relu.out"),
    ]
    assert section(report, "Delegates").rows == [(0, "DemoBackend", 40, 1, "level (1 bytes)")]
    ((memory, size, tensors, without, device),) = section(report, "Memory plan").rows
    assert (memory, device) == (1, "CPU") and tensors >= 4 and 0 < size <= without + 16 * tensors
    names = {row[1]: row[3] for row in section(report, "Constants").rows}
    assert names["layer.bias"] == "external data 'layer.bias'" and len(names) == 2
    linking = dict(section(report, "What a runtime").rows)
    assert linking["kernels"] == "aten::add.out, aten::copy_, aten::relu.out"
    assert linking["backends"] == "DemoBackend"
    assert linking["selective build"].endswith('"aten::add.out,aten::copy_,aten::relu.out"')
    assert linking["external data (.ptd)"] == "1 tensors: layer.bias"
    contents = [row[3] for row in section(report, "Segments").rows]
    assert any("constants" in text for text in contents) and "nothing refers to it" not in contents
    getter = section(report, "Method get_version")
    assert getter.rows == [("output 0", "Int 3", "")]


def test_tensors_without_a_bound_are_marked():
    graph = ExecutionGraph()
    x = graph.input(4, 8, bounded=True)
    x.meta["spec"].unbounded_dims = frozenset({0})
    out = graph.call(ops.relu.out, x, shape=(4, 8))
    output = emit_program({"forward": planned(graph.output(out), MemoryPlanningPass().run)})
    report = inspect_bytes(bytes(serialize_pte(output).pte))
    assert report.problems == []
    (unbounded,) = [row for row in section(report, "Planned tensors").rows if row[2].endswith("] unbounded")]
    assert unbounded[2] == "float32[<=4, <=8] unbounded"
    assert (
        dict(section(report, "What a runtime").rows)["memory"] == "an allocator for tensors of unbounded size"
    )


def test_facts_are_for_programs(pte):
    facts = json.loads(json.dumps(inspect_bytes(pte).facts))
    assert facts["kind"] == "pte" and facts["bytes"] == len(pte)
    assert facts["backends"] == ["DemoBackend"]
    assert facts["methods"]["forward"]["operators"] == {
        "aten::add.out": 3,
        "aten::copy_": 1,
        "aten::relu.out": 1,
    }
    assert facts["methods"]["get_version"]["outputs"] == ["Int 3"]


def test_data_by_name_is_described(files):
    ((name, ptd),) = files.ptd.items()
    report = inspect_bytes(bytes(ptd))
    assert name.startswith("weights") and report.problems == []
    assert section(report, "Data").rows == [(24, "layer.bias", "float32[2, 3]", 0)]


def test_the_page_holds_the_same_and_escapes_names(pte):
    file = deserialize_pte_binary(pte)
    file.program.execution_plan[0].delegates[0].id = "<script>"
    page = to_html(inspect_bytes(bytes(serialize_pte_binary(file))), "a & b.pte")
    assert "<script>" not in page and "&lt;script&gt;" in page and "a &amp; b.pte" in page
    for title in ("Method forward", "Memory plan", "Constants", "Segments", "What a runtime must link"):
        assert title in page


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"abc", "has 3 bytes"),
        (b"\0" * 4 + b"ET99" + b"\0" * 60, r"identifier b'ET99'; this release reads ET12"),
        (b"PK\x03\x04" + b"\0" * 60, "zip archive"),
        (b"\0" * 4 + b"BP08" + b"\0" * 60, "bundled program"),
        (b"\x7fELF" + b"\0" * 60, "no .pte and no .ptd file"),
    ],
)
def test_other_files_are_named(data, message):
    (problem,) = inspect_bytes(data).problems
    assert re.search(message, problem)


def test_a_file_that_is_cut_off_says_so(pte):
    (problem,) = inspect_bytes(pte[:-1]).problems
    assert "cut off" in problem
    (problem,) = inspect_bytes(pte[: len(pte) // 3]).problems
    assert "cut off" in problem


def broken(pte, change):
    file = deserialize_pte_binary(pte)
    plan = next(plan for plan in file.program.execution_plan if plan.name == "forward")
    change(plan, file)
    return inspect_bytes(
        bytes(serialize_pte_binary(PTEFile(file.program, file.mutable_data, file.named_data)))
    )


def tensors(plan):
    return [entry.val for entry in plan.values if isinstance(entry.val, schema.Tensor)]


def kernel_call(plan):
    calls = [i.instr_args for i in plan.chains[0].instructions]
    return next(call for call in calls if isinstance(call, schema.KernelCall))


def set_input(plan, file):
    plan.inputs[0] = 999


def set_operator(plan, file):
    kernel_call(plan).op_index = 77


def set_argument(plan, file):
    kernel_call(plan).args[0] = -5


def set_memory(plan, file):
    next(t for t in tensors(plan) if t.allocation_info).allocation_info.memory_id = 9


def set_offset(plan, file):
    next(t for t in tensors(plan) if t.allocation_info).allocation_info.memory_offset_low = 1 << 20


def set_dim_order(plan, file):
    tensors(plan)[0].dim_order = [0] * len(tensors(plan)[0].sizes)


def set_sizes(plan, file):
    next(t for t in tensors(plan) if t.data_buffer_idx and not t.allocation_info).sizes = [200, 300]


def set_buffer(plan, file):
    next(t for t in tensors(plan) if t.data_buffer_idx and not t.allocation_info).data_buffer_idx = 42


def set_jump(plan, file):
    plan.chains[0].instructions.append(schema.Instruction(schema.JumpFalseCall(0, 500)))


def set_name(plan, file):
    file.program.execution_plan.append(dataclasses.replace(plan))


def set_reserved(plan, file):
    plan.non_const_buffer_sizes[0] = 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_input, r"method 'forward': input 0 refers to value 999, but there are \d+"),
        (set_operator, r"chain 0, instruction \d+ refers to operator 77, but there are 3"),
        (set_argument, r"chain 0, instruction \d+ refers to value -5"),
        (set_memory, r"value \d+: the tensor is in memory 9; there are memories 1 to 1"),
        (set_offset, r"bytes 1048576 to 1048600 are outside memory 1 of \d+ bytes"),
        (set_dim_order, r"dim order \[0, 0\] is no order of 2 dimensions"),
        (set_sizes, r"the tensor has 240000 bytes, but constant 1 only \d+"),
        (set_buffer, r"refers to constant 42, but there are \d+"),
        (set_jump, r"jumps to instruction 500 of \d+"),
        (set_name, "two methods have the name 'forward'"),
        (set_reserved, "memory 0 is reserved, but has 8 bytes"),
    ],
)
def test_what_is_wrong_inside_is_said_precisely(pte, change, message):
    report = broken(pte, change)
    assert any(re.search(message, problem) for problem in report.problems), report.problems
    assert report.sections and "Wrong with this file" in to_text(report)
    assert "Wrong with this file" in to_html(report, "x.pte")


def test_a_tensor_that_is_larger_than_its_data_is_found():
    layout = TensorLayout(ScalarType.FLOAT, [4, 4], [0, 1])
    payload = DataPayload([b"1234"], {"w": DataEntry(0, 16, layout)})
    (problem,) = inspect_bytes(bytes(FlatTensorSerializer().serialize(payload))).problems
    assert problem == "'w' is float32[4, 4], which needs 64 bytes, but its segment has 4"


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_no_corruption_raises(pte, data):
    corrupt = bytearray(pte)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(8, len(corrupt) - 4))
        struct.pack_into(
            "<I", corrupt, at, data.draw(st.sampled_from([0, 1, 7, 255, 0x7FFFFFFF, 0xFFFFFFFF]))
        )
    report = inspect_bytes(bytes(corrupt))
    to_text(report)
    to_html(report, "x")
    assert all(isinstance(problem, str) for problem in report.problems)


def command(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "executorch.emitter.inspect", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(filter(None, sys.path)), "PATH": ""},
    )
    return done.returncode, done.stdout, done.stderr


def test_the_command_line(pte, tmp_path):
    path, page = tmp_path / "model.pte", tmp_path / "model.html"
    path.write_bytes(pte)
    code, out, _ = command(str(path), f"--html={page}")
    last = out.strip().splitlines()[-1]
    assert code == 0 and last.startswith("RESULT ")
    assert json.loads(last.removeprefix("RESULT "))["methods"]["forward"]["delegates"] == ["DemoBackend"]
    assert page.read_text().startswith("<!doctype html>")
    path.write_bytes(pte[:100])
    code, out, err = command(str(path))
    assert code == 1 and "cut off" in out and "Traceback" not in out + err
    code, _, err = command(str(tmp_path / "missing.pte"))
    assert code == 2 and "No such file" in err and "Traceback" not in err
