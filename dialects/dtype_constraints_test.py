"""The table of element types: its format, its meaning, and that it tells the truth about torch."""

import pytest
import torch

from executorch.dialects.dtype_constraints import TABLE_PATH, entries, find, read_table, table
from executorch.dialects.dtype_samples import SAMPLES
from executorch.dialects.gen_dtype_table import disagreements, generate, main

_DOCUMENTED = """
- func: sigmoid
  namespace: edge
  inherits: aten::sigmoid
  type_alias:
    T0: [Bool, Byte, Char, Int, Long, Short]
    T1: [Double, Float]
    T2: [Float]
  type_constraint:
  - self: T0
    __ret_0: T2
  - self: T1
    __ret_0: T1
"""


def test_the_documented_entry():
    constraint = read_table(_DOCUMENTED)["aten::sigmoid"]
    assert len(constraint.allowed("self")) == 8
    assert constraint.allowed("__ret_0") == {torch.float32, torch.float64}
    assert constraint.accepts({"self": torch.int8, "__ret_0": torch.float32})
    assert constraint.accepts({"self": torch.float64, "__ret_0": torch.float64})
    assert not constraint.accepts({"self": torch.int8, "__ret_0": torch.float64})


def test_types_outside_the_table_are_not_judged():
    constraint = read_table(_DOCUMENTED)["aten::sigmoid"]
    assert constraint.accepts({"self": torch.float16, "__ret_0": torch.float16})


def test_arguments_that_no_row_mentions_may_be_anything():
    assert len(read_table(_DOCUMENTED)["aten::sigmoid"].allowed("other")) == 8


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("Float]\n    T2", "Quarter]\n    T2", "unknown types"), ("self: T0", "self: T9", "undefined aliases")],
)
def test_mistakes_in_the_table_are_named(old, new, message):
    with pytest.raises(ValueError, match=message):
        read_table(_DOCUMENTED.replace(old, new))


def test_the_shipped_table_agrees_with_torch():
    assert disagreements(TABLE_PATH.read_text(encoding="utf-8"), SAMPLES) == []


def test_a_wrong_table_is_noticed():
    some = [sample for sample in SAMPLES if sample.op == "aten::relu"]
    text = generate(some)
    assert disagreements(text, some) == []
    assert disagreements(text.replace("[Float]", "[Bool]"), some) == [
        "aten::relu: other combinations run than the table lists"
    ]
    assert disagreements("", some) == ["aten::relu: missing in the table"]
    assert disagreements(text, []) == ["aten::relu: no sample shows that it runs"]


def test_every_sample_runs():
    assert {sample.op for sample in SAMPLES} == set(table())


def test_lookup_by_overload():
    assert find("aten::add", "Tensor") is not None
    assert find("aten::sigmoid", "default") is find("aten::sigmoid", "") is not None
    assert find("aten::add", "NoSuch") is None


def test_the_command_line(tmp_path, capsys):
    assert main(["--out", str(tmp_path / "edge.yaml")]) == 0
    assert (tmp_path / "edge.yaml").read_text() == TABLE_PATH.read_text()
    assert main(["--check"]) == 0 and "agrees" in capsys.readouterr().out


def test_entries_of_users_count_and_an_alias_is_one_type():
    row = {"self": "T0", "other": "T0", "__ret_0": "T0"}
    mine = {"inherits": "mine::op", "type_alias": {"T0": ["Float", "Double"]}, "type_constraint": [row]}
    entries()["mine::op"] = mine
    try:
        constraint = find("mine::op", "")
        assert constraint is not None and constraint.alias_types() == {"T0": {torch.float32, torch.float64}}
        assert constraint.accepts({"self": torch.float64, "other": torch.float64, "__ret_0": torch.float64})
        assert not constraint.accepts({"self": torch.float64, "other": torch.float32})
        entries()["mine::op"] = {**mine, "type_alias": {"T0": ["Int"]}}
        assert find("mine::op", "").allowed("self") == {torch.int32}
    finally:
        del entries()["mine::op"]
    assert find("mine::op", "") is None
