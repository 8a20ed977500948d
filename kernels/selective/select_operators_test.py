"""Selections: by list, by yaml, by program, and their union."""

from __future__ import annotations

import pytest
import yaml

from executorch.kernels.codegen.functions import FunctionsError, load_functions, load_schemas, specialise
from executorch.kernels.selective import select_operators as select
from executorch.kernels.selective.model_operators import operators_of
from executorch.schema import program as schema
from executorch.schema.scalar_type import ScalarType
from executorch.schema.wire import FormatError

FUNCTIONS = """
- op: add.out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::add_out
- op: mm.out
  kernels:
    - arg_meta: null
      kernel_name: torch::executor::mm_out
"""


def tensor(dtype=ScalarType.FLOAT, order=(0, 1)):
    return schema.EValue(
        schema.Tensor(scalar_type=dtype, sizes=[2] * len(order), dim_order=bytes(order), storage_offset=0)
    )


def program_bytes():
    """x + y in float, and in float with int64; another operator is listed but never called."""
    values = [tensor(), tensor(), schema.EValue(schema.Int(1)), tensor(), tensor(ScalarType.LONG, (1, 0))]
    calls = [[0, 1, 2, 3, 3], [0, 4, 2, 3, 3]]
    plan = schema.ExecutionPlan(
        name="forward",
        values=values,
        operators=[schema.Operator("aten::add", "out"), schema.Operator("aten::mm", "out")],
        chains=[
            schema.Chain(
                instructions=[schema.Instruction(schema.KernelCall(op_index=0, args=args)) for args in calls]
            )
        ],
    )
    return schema.write_program(schema.Program(execution_plan=[plan])).tobytes()


def run(tmp_path, *args):
    out = tmp_path / "selection.yaml"
    report = tmp_path / "report.txt"
    assert select.main([*args, "--out", str(out), "--report", str(report)]) == 0
    return yaml.safe_load(out.read_text()), report.read_text()


def test_operators_of_a_program():
    assert operators_of(program_bytes()) == {
        "aten::add.out": {"v1/6;0,1|6;0,1|6;0,1", "v1/6;0,1|4;1,0|6;0,1"},
        "aten::mm.out": set(),
    }


def test_no_program():
    with pytest.raises(FormatError):
        operators_of(b"not a program at all, but long enough for a header")


def test_by_list(tmp_path):
    selection, report = run(tmp_path, "--ops", "aten::add.out, aten::mm.out")
    assert selection["et_kernel_metadata"] == {"aten::add.out": ["default"], "aten::mm.out": ["default"]}
    assert report.endswith("2 operators\n")


def test_by_yaml_and_union(tmp_path):
    functions, model = tmp_path / "functions.yaml", tmp_path / "model.pte"
    functions.write_text(FUNCTIONS)
    model.write_bytes(program_bytes())
    selection, _ = run(tmp_path, "--yaml", str(functions), "--model", str(model), "--ops", "aten::exp.out")
    assert selection["operators"]["aten::add.out"]["sources"] == ["functions.yaml", "model.pte"]
    assert selection["operators"]["aten::exp.out"]["sources"] == ["list"]
    # A selection is a source as well.
    first = tmp_path / "first.yaml"
    first.write_text(yaml.safe_dump(selection))
    again, _ = run(tmp_path, "--yaml", str(first))
    assert again["et_kernel_metadata"] == selection["et_kernel_metadata"]


def test_nothing_selected(tmp_path, capsys):
    assert select.main(["--out", str(tmp_path / "x.yaml")]) == 1
    assert "nothing selects" in capsys.readouterr().err


def test_a_yaml_of_another_kind(tmp_path, capsys):
    other = tmp_path / "other.yaml"
    other.write_text("a: 1\n")
    assert select.main(["--yaml", str(other), "--out", str(tmp_path / "x.yaml")]) == 1
    assert "expected a functions.yaml" in capsys.readouterr().err


def test_kernels_for_a_programs_dtypes(tmp_path):
    path = tmp_path / "functions.yaml"
    path.write_text(FUNCTIONS)
    functions = load_functions(path, load_schemas())
    keys = operators_of(program_bytes())
    kept = specialise(functions, {"aten::add.out": keys["aten::add.out"]})
    assert [f.schema.full_name for f in kept] == ["aten::add.out"]
    assert kept[0].kernels[0].keys == tuple(sorted(keys["aten::add.out"]))
    everything = specialise(functions, {"aten::add.out": {"default"}})
    assert everything[0].kernels[0].keys == (None,)
    with pytest.raises(FunctionsError, match=r"aten::exp\.out"):
        specialise(functions, {"aten::exp.out": {"default"}})
