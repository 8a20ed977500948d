"""Variants of operators and the small helpers around schemas."""

import logging
import sys

import pytest
import torch

from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.common import (
    extract_out_arguments,
    format_schema_name,
    get_schema_for_operators,
    no_dispatch,
    override_logger,
    setting_python_recursive_limit,
)
from executorch.exir.dialects._ops import ops
from executorch.exir.error import OperatorNotSupportedError
from executorch.exir.operator import convert
from executorch.exir.operator.manip import ScratchTensorMetadata, attach_get_scratch_metas_fn
from executorch.exir.operator.util import gen_out_variant_schema
from executorch.exir.pass_manager import PassManager
from executorch.exir.passes import ToOutVarPass, to_scratch_op_pass
from executorch.exir.schema import ScalarType

aten = torch.ops.aten


def test_out_variants():
    assert convert.to_out_variant(aten.add.Tensor) == (aten.add.out, ("out",))
    assert convert.to_out_variant(aten.topk.default) == (aten.topk.values, ("values", "indices"))
    with pytest.raises(OperatorNotSupportedError, match="has no out variant"):
        convert.to_out_variant(aten.sym_size.int)


def test_kinds_of_variants():
    assert convert.is_out_variant("aten::add", "out") and not convert.is_out_variant("aten::add", "Tensor")
    assert convert.is_inplace_variant("aten::add_", "Tensor")
    assert not convert.is_inplace_variant("aten::add", "out")
    assert convert.output_to_aliased_input_map(aten.add_.Tensor._schema) == {0: 0}
    assert convert.output_to_aliased_input_map(aten.add.out._schema) == {0: 3}
    assert convert.output_to_aliased_input_map(aten.topk.values._schema) == {0: 5, 1: 6}
    assert convert.output_to_aliased_input_map(aten.add.Tensor._schema) == {}
    tied = torch._C.parse_schema("test::tied(Tensor(a) x, Tensor(a) y) -> Tensor(a)")
    assert convert.output_to_aliased_input_map(tied) == {0: 0}


def test_names():
    assert convert.parse_qualified_opname("aten::add") == ("aten", "add")
    with pytest.raises(RuntimeError, match="Invalid qualified_opname"):
        convert.parse_qualified_opname("add")
    assert convert.get_op_overload("aten::relu", "") is aten.relu.default
    assert convert.unwrap_op_overload(ops.edge.aten.relu.default) is aten.relu.default
    with pytest.raises(TypeError, match=r"expected a torch\._ops\.OpOverload"):
        convert.unwrap_op_overload(3)


def test_schemas_of_either_kind():
    torchgen = pytest.importorskip("torchgen.model")
    schema = torchgen.FunctionSchema.parse(
        "add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"
    )
    assert convert.get_out_args_from_schema(schema) == ("out",)
    assert convert.schema_to_opoverload(schema) is aten.add.out
    assert convert.get_out_args_from_schema(aten.topk.values._schema) == ("values", "indices")
    assert convert.schema_to_opoverload(aten.add.Tensor._schema) is aten.add.Tensor


def test_scratch_variants_and_late_registration():
    library = torch.library.Library("operator_test", "DEF")
    library.define("work(Tensor x) -> Tensor")
    op = torch.ops.operator_test.work.default
    with pytest.raises(OperatorNotSupportedError):
        convert.to_out_variant(op)
    library.define("work.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    library.define("work.scratch(Tensor x, *, Tensor(b!) _scratch_tmp, Tensor(a!) out) -> Tensor(a!)")
    convert.set_mapping_for_op(op)
    out, _ = convert.to_out_variant(op)
    assert out is torch.ops.operator_test.work.out
    assert convert.to_scratch_op(out) is torch.ops.operator_test.work.scratch
    assert convert.to_scratch_op(aten.add.out) is None


@pytest.mark.parametrize(
    ("functional", "out"),
    [
        (
            "foo::bar(Tensor x, int y) -> Tensor",
            "foo::bar.out(Tensor x, int y, *, Tensor(a!) out) -> Tensor(a!)",
        ),
        (
            "foo::bar.baz(Tensor x, *, int y) -> (Tensor, Tensor)",
            "foo::bar.baz_out(Tensor x, *, int y, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))",
        ),
        (
            "foo::bar_.baz(Tensor(a!) x, int y) -> Tensor(a!)",
            "foo::bar.baz_out(Tensor x, int y, *, Tensor(a!) out) -> Tensor(a!)",
        ),
        (
            "foo::bar(Tensor x, Tensor(a!) y) -> Tensor",
            "foo::bar.out(Tensor x, Tensor(a!) y, *, Tensor(b!) out) -> Tensor(b!)",
        ),
        ("foo::nil() -> Tensor", "foo::nil.out(*, Tensor(a!) out) -> Tensor(a!)"),
    ],
)
def test_schema_of_the_out_variant(functional, out):
    assert gen_out_variant_schema(functional) == out
    torch._C.parse_schema(out)


def test_schema_without_tensors_has_no_out_variant():
    with pytest.raises(ValueError, match="only tensors"):
        gen_out_variant_schema("foo::count(Tensor x) -> int")


def test_schema_helpers():
    assert format_schema_name(aten.add.Tensor._schema) == "aten::add.Tensor"
    assert format_schema_name(aten.relu.default._schema) == "aten::relu"
    found = get_schema_for_operators(["aten::add.Tensor", "torch.ops.aten.relu.default", "nope"])
    assert found["aten::add.Tensor"].startswith("aten::add.Tensor(Tensor self")
    assert found["aten::relu.default"] == "aten::relu(Tensor self) -> Tensor"
    assert found["nope"] == "<No Schema Found>"
    assert extract_out_arguments(aten.add.out._schema, {"out": 1, "alpha": 2}) == ("out", 1)
    assert extract_out_arguments(aten.topk.values._schema, {"values": 1, "indices": 2}) == [
        ("values", 1),
        ("indices", 2),
    ]
    assert extract_out_arguments(aten.add.Tensor._schema, {}) == []


def test_contexts_restore_what_they_change(tmp_path):
    limit = sys.getrecursionlimit()
    with setting_python_recursive_limit(limit + 500):
        assert sys.getrecursionlimit() == limit + 500
    assert sys.getrecursionlimit() == limit
    log, level = tmp_path / "log", logging.getLogger().level
    with override_logger(logging.INFO, "<%(message)s>", str(log)):
        logging.getLogger("a").info("said")
    assert log.read_text() == "<said>\n" and logging.getLogger().level == level
    with no_dispatch():
        assert torch.ones(1).item() == 1


def test_work_space_is_planned_and_emitted():
    library = torch.library.Library("operator_test_space", "DEF")
    library.define("work(Tensor x) -> Tensor")
    library.define("work.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    library.define("work.space(Tensor x, *, Tensor(b!) _scratch_rows, Tensor(a!) out) -> Tensor(a!)")
    library.impl("work", lambda x: x * 2, "CompositeExplicitAutograd")
    work = torch.ops.operator_test_space.work

    @attach_get_scratch_metas_fn(work.out)
    def metas(x, *, out):
        return {"_scratch_rows": ScratchTensorMetadata(torch.int32, torch.Size([x.shape[0]]))}

    class Model(torch.nn.Module):
        def forward(self, x):
            return work(x) + 1

    program = to_edge(torch.export.export(Model(), (torch.rand(3, 4),)))
    config = ExecutorchBackendConfig(to_out_var_pass=PassManager([ToOutVarPass(), to_scratch_op_pass]))
    (plan,) = program.to_executorch(config).executorch_program.execution_plan
    number = next(
        i
        for i, op in enumerate(plan.operators)
        if (op.name, op.overload) == ("operator_test_space::work", "space")
    )
    call = next(
        i.instr_args for i in plan.chains[0].instructions if getattr(i.instr_args, "op_index", None) == number
    )
    _, scratch, out, result = (plan.values[index].val for index in call.args)
    assert scratch.sizes == [3] and scratch.scalar_type == ScalarType.INT
    assert scratch.allocation_info is not None and out.sizes == [3, 4] and out is result
