"""The documented verifiers: what they accept, refuse, and how they are configured."""

import pytest
import torch
from torch._export.verifier import load_verifier

from executorch.exir import EdgeCompileConfig, to_edge
from executorch.exir.dialects._ops import ops
from executorch.exir.verification.verifier import (
    EXIRATenDialectVerifier,
    EXIREdgeDialectVerifier,
    SpecViolationError,
    get_aten_verifier,
)


class _Softmax(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.log_softmax(x, -1)


def _captured():
    return torch.export.export(_Softmax(), (torch.rand(2, 3),))


def test_edge_programs_are_edge():
    program = to_edge(_captured()).exported_program()
    verifier = EXIREdgeDialectVerifier()
    verifier(program)
    verifier(program.graph_module)
    assert verifier.is_valid(program) and verifier.dialect == program.dialect == "EDGE"


def test_captured_programs_are_not_edge_nor_core():
    for verifier in (EXIREdgeDialectVerifier(), EXIRATenDialectVerifier()):
        with pytest.raises(SpecViolationError, match="log_softmax"):
            verifier(_captured())
        assert not verifier.is_valid(_captured())


def test_exceptions_by_config_or_by_argument():
    op = torch.ops.aten.log_softmax.int
    for verifier in (
        EXIRATenDialectVerifier(EdgeCompileConfig(_core_aten_ops_exception_list=[op])),
        EXIRATenDialectVerifier(EdgeCompileConfig(preserve_ops=[op])),
        EXIRATenDialectVerifier(core_aten_ops_exception_list=[op]),
        EXIRATenDialectVerifier(preserve_ops=[op]),
        EXIRATenDialectVerifier(EdgeCompileConfig(_check_ir_validity=False)),
        get_aten_verifier(EdgeCompileConfig(preserve_ops=[op]))(),
    ):
        verifier(_captured())


def test_a_class_for_exported_programs():
    made = EXIREdgeDialectVerifier(class_only=True)
    assert isinstance(made, type)
    made().check(to_edge(_captured()).exported_program())


def test_a_pass_that_leaves_the_dialect_is_caught():
    program = to_edge(_captured()).exported_program()
    (node,) = program.graph.find_nodes(op="call_function", target=ops.edge.aten._log_softmax.default)
    node.target = torch.ops.aten._log_softmax.default
    with pytest.raises(SpecViolationError, match="is not an edge operator"):
        EXIREdgeDialectVerifier()(program)


def test_types_outside_the_constraints():
    program = to_edge(_captured()).exported_program()
    (node,) = program.graph.find_nodes(op="call_function", target=ops.edge.aten._log_softmax.default)
    node.meta["val"] = node.meta["val"].to(torch.int64)
    with pytest.raises(SpecViolationError, match="element types self=float32, __ret_0=int64 are not allowed"):
        EXIREdgeDialectVerifier()(program)


class _Convert(torch.nn.Module):
    def forward(self, x):
        return x.to(torch.float64).clone()


@pytest.mark.parametrize("keep", [True, False])
def test_dim_orders_and_memory_formats_are_told_apart(keep):
    same = EdgeCompileConfig(_skip_dim_order=keep)
    other = EdgeCompileConfig(_skip_dim_order=not keep)
    program = to_edge(
        torch.export.export(_Convert(), (torch.rand(2),)), compile_config=same
    ).exported_program()
    EXIREdgeDialectVerifier(edge_compile_config=same)(program)
    with pytest.raises(SpecViolationError, match="_to_copy" if keep else "_to_dim_order_copy"):
        EXIREdgeDialectVerifier(edge_compile_config=other)(program)


def test_asking_for_verifiers_registers_none():
    for make, dialect in ((EXIRATenDialectVerifier, "OLD_EXIR_ATEN"), (EXIREdgeDialectVerifier, "EDGE")):
        registered = load_verifier(dialect)
        make(EdgeCompileConfig(_check_ir_validity=False), class_only=True)
        assert load_verifier(dialect) is registered


def test_one_operator_is_judged():
    verifier = EXIREdgeDialectVerifier()
    verifier.check_valid_edge_op(ops.edge.aten.add.Tensor)
    verifier.check_valid_op(ops.edge.quantized_decomposed.quantize_per_tensor.default)
    for op, reason in (
        (torch.ops.aten.add.Tensor, "is not an edge operator"),
        (ops.edge.aten.add_.Tensor, "functional"),
        (ops.edge.aten.view.default, "view_copy"),
        (ops.edge.aten.log_softmax.int, "core ATen"),
    ):
        with pytest.raises(SpecViolationError, match=reason):
            verifier.check_valid_op(op)
