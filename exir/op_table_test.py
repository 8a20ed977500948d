"""The table of core operators: three facts of each, found out by trying."""

import pytest
import torch

from executorch.exir.missing_kernels import kernel_ops
from executorch.exir.op_table import Row, core_ops, counts, row_of, table
from executorch.exir.write_kernel_ops import kernel_ops as kernel_ops_of
from executorch.exir.write_kernel_ops import ops_of_source, ops_of_yaml, text_of


def test_core_ops_are_torchs():
    ops = list(core_ops())
    assert torch.ops.aten.add.Tensor in ops and torch.ops.aten.svd.default not in ops
    assert len(ops) > 180


def test_rows_tell_what_is_true():
    (row,) = [row for row in table("relu") if row.op == "aten::relu"]
    assert row == Row("aten::relu", True, ("aten::relu.out",), True)
    (view,) = [row for row in table("aten::permute") if row.op == "aten::permute"]
    assert view.lowered and view.constrained
    missing = row_of(torch.ops.aten._fft_r2c.default, {})
    assert not missing.lowered and not missing.has_kernel and missing.note == "no sample calls it"
    number = row_of(torch.ops.aten.sym_size.int, {})
    assert number.lowered and number.kernels == ("aten::sym_size.int",)


def test_counts():
    rows = [Row("a", True, ("x",), True), Row("b", True, (), True), Row("c", False, (), False)]
    assert counts(rows) == {"ops": 3, "lowered": 2, "has_kernel": 1, "constrained": 2, "all_three": 1}


def test_the_list_of_kernels_reads_both_kinds_of_sources():
    yaml = "- op: add.out\n  kernels:\n- func: my::op.out(Tensor x) -> ()\n- op: 'dim_order_ops::a.out'\n"
    assert ops_of_yaml(yaml) == {"aten::add.out", "my::op.out", "dim_order_ops::a.out"}
    assert ops_of_source('Kernel("executorch_prim::add.Scalar", add), "other"') == {
        "executorch_prim::add.Scalar"
    }
    assert text_of(["b::b", "a::a"]).splitlines()[-2:] == ["a::a", "b::b"]


def test_a_list_without_kernels_is_none(tmp_path):
    table, source, empty = (tmp_path / name for name in ("a.yaml", "a.cc", "empty.yaml"))
    table.write_text("- op: add.out\n")
    source.write_text('Kernel("executorch_prim::add.Scalar", add)')
    empty.write_text("")
    assert kernel_ops_of([table, source]) == {"aten::add.out", "executorch_prim::add.Scalar"}
    with pytest.raises(ValueError, match=r"empty\.yaml names no operators"):
        kernel_ops_of([table, empty])


def test_the_list_of_kernels_is_in_the_library():
    assert {"aten::add.out", "executorch_prim::add.Scalar", "aten::sym_size.int"} <= kernel_ops()
    assert {"quantized_decomposed::add.out", "quantized_decomposed::embedding_4bit.out"} <= kernel_ops()
    assert len(kernel_ops()) > 200
