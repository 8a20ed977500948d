"""Graphs and programs that are written operator by operator."""

import pytest
import torch
from torch._export.verifier import SpecViolationError
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.graph import CodeGen

from executorch.backends.test.graph_builder import GraphBuilder, single_op_builder
from executorch.backends.test.program_builder import IrMode, ProgramBuilder
from executorch.dialects.ops import ops
from executorch.passes.infrastructure.export_pass import ExportPass, NodeMetadata
from executorch.runtime import Runtime

_aten = ops.edge.aten


def test_a_graph_is_what_was_written():
    builder = GraphBuilder()
    x = builder.placeholder("x", torch.randn(2, 3))
    halves = builder.call_operator(torch.ops.aten.split.Tensor, (x, 1), meta=NodeMetadata({"note": 1}))
    first = builder.call_getitem(halves, 0)
    late = builder.placeholder("late", torch.randn(1, 3))
    total = builder.call_operator(_aten.add.Tensor, (late, torch.ones(1, 3)))
    builder.output([first, total])
    module = builder.get_graph_module()
    module.graph.lint()
    assert [node.name for node in module.graph.find_nodes(op="placeholder")] == ["x", "late"]
    assert halves.node.meta["note"] == 1 and [one.shape for one in halves.data] == [(1, 3), (1, 3)]
    values = torch.randn(2, 3), torch.randn(1, 3)
    got = module(*values)
    torch.testing.assert_close(list(got), [values[0][:1], values[1] + 1])


def test_a_graph_of_one_operator():
    x, y = torch.randn(2), torch.randn(2)
    module = single_op_builder((x, y), _aten.cat.default, ([x, y, x],))
    torch.testing.assert_close(module(x, y)[0], torch.cat([x, y, x]))


@pytest.mark.parametrize("mode", [None, *IrMode])
def test_a_program_has_its_state(mode):
    builder = ProgramBuilder(mode)
    weight, offset, number = torch.nn.Parameter(torch.randn(2)), torch.randn(2), torch.randn(2)
    x = builder.placeholder("x", torch.randn(2))
    w = builder.placeholder("w", weight, input_kind=InputKind.PARAMETER)
    b = builder.placeholder("b", offset, input_kind=InputKind.BUFFER)
    c = builder.placeholder("c", number, input_kind=InputKind.CONSTANT_TENSOR)
    aten = torch.ops.aten if mode is IrMode.ATEN else _aten
    scaled = builder.call_operator(aten.mul.Tensor, (x, w))
    moved = builder.call_operator(aten.add.Tensor, (scaled, b))
    builder.output([builder.call_operator(aten.sub.Tensor, (moved, c))])
    program = builder.get_program()
    assert (set(program.state_dict), set(program.constants)) == ({"w", "b"}, {"c"})
    x = torch.randn(2)
    torch.testing.assert_close(program.module()(x), (x * weight + offset - number,))


def test_a_program_that_writes_its_buffer_runs():
    builder = ProgramBuilder()
    total = builder.placeholder("total", torch.zeros(2), input_kind=InputKind.BUFFER)
    x = builder.placeholder("x", torch.zeros(2))
    new = builder.call_operator(_aten.add.Tensor, (total, x))
    twice = builder.call_operator(_aten.add.Tensor, (new, new))
    kinds = [OutputKind.BUFFER_MUTATION, OutputKind.USER_OUTPUT]
    builder.output([new, twice], output_kinds=kinds, output_targets=["total", None])
    buffer = builder.get_edge_program().to_executorch().buffer
    method = Runtime.get().load_program(buffer).load_method("forward")
    for count in (1, 2):
        torch.testing.assert_close(method.execute([torch.ones(2)])[0], torch.full((2,), 2.0 * count))


def test_operators_of_torch_become_edge_operators():
    builder = ProgramBuilder()
    x = builder.placeholder("x", torch.randn(2))
    builder.output([builder.call_operator(torch.ops.aten.relu.default, (x,))])
    assert ops.edge.aten.relu.default in {node.target for node in builder.get_program().graph.nodes}


@pytest.mark.parametrize(
    ("mode", "op"),
    [(IrMode.EXIR, torch.ops.aten.dropout.default), (IrMode.ATEN, ops.edge.aten.dropout.default)],
)
def test_a_program_of_other_operators_is_refused(mode, op):
    builder = ProgramBuilder(mode)
    x = builder.placeholder("x", torch.randn(2))
    builder.output([builder.call_operator(op, (x, 0.5, False))])
    with pytest.raises(SpecViolationError):
        builder.get_program()


def test_the_body_of_a_map():
    body = GraphBuilder()
    x = body.placeholder("x", torch.randn(3, 5))
    body.output([x, body.call_operator(ops.edge.aten.add.Tensor, (x, x))])
    builder = GraphBuilder()
    rows = builder.placeholder("rows", torch.randn(4, 3, 5))
    meta = NodeMetadata({})
    builder.output([builder.call_map(body.get_graph_module(), [rows], [], meta)])
    made = ExportPass()(builder.get_graph_module()).graph_module
    (call,) = made.graph.find_nodes(op="call_function", target=torch.ops.higher_order.map_impl)
    assert [one.shape for one in call.meta["val"]] == [(4, 3, 5)] * 2


class _Builder(ExportPass):
    """As backends' tests write one for themselves."""

    def __init__(self):
        super().__init__()
        self.tracer = self.ExportTracer(self, CodeGen())
        self.tracer.fake_tensor_mode = FakeTensorMode(allow_non_fake_inputs=True)


def test_a_pass_builds_a_graph_from_nothing_by_its_tracer():
    builder, meta = _Builder(), NodeMetadata({})
    x = builder.placeholder("x", builder.tracer.fake_tensor_mode.from_tensor(torch.ones(2, 3)), meta)
    constant = torch.arange(3.0)
    y = builder.call_operator(_aten.add.Tensor, (x, constant), {}, meta)
    zeros = builder.call_operator(_aten.full.default, ([2, 3], 0.0), {}, meta)
    builder.output([builder.call_operator(_aten.sub.Tensor, (y, zeros), {}, meta)], meta)
    module = torch.fx.GraphModule(builder.tracer.root, builder.tracer.graph)
    assert zeros.to_tensor().fake_mode is builder.tracer.fake_tensor_mode
    torch.testing.assert_close(module(torch.ones(2, 3))[0], 1 + constant.expand(2, 3))
