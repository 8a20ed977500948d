"""The backend dialect: names, identity, and the guarantees of operators that are bound to a pattern."""

import copy
import pickle

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.library import Library

from executorch.dialects import bound_ops
from executorch.dialects.backend_ops import BackendOpOverload, backend_op, bind_pattern_to_op
from executorch.dialects.edge_ops import EdgeOpOverload
from executorch.dialects.errors import MissingKernelError
from executorch.dialects.ops import ops

_LIB = Library("backend_ops_test", "DEF")


@bind_pattern_to_op(_LIB, "add_relu(Tensor self, Tensor other) -> Tensor")
def _add_relu(x, y):
    return torch.ops.aten.relu.default(torch.ops.aten.add.Tensor(x, y))


_LIB.define("twice.default_overload(Tensor x) -> Tensor")


@bind_pattern_to_op(_LIB, "twice.default_overload")
def _twice(x):
    return x * 2


def test_no_kernel_is_needed():
    x = torch.tensor([-3.0, 2.0])
    assert torch.equal(torch.ops.backend_ops_test.add_relu(x, torch.ones(2)), torch.tensor([0.0, 3.0]))
    assert torch.equal(ops.backend.backend_ops_test.twice.default_overload(x), x * 2)


def test_an_operator_without_a_kernel_is_refused_until_it_has_one():
    _LIB.define("hollow(Tensor x) -> Tensor")
    with pytest.raises(
        MissingKernelError, match=r"backend_ops_test.hollow.default has no kernel.*\n.*bind_pattern_to_op"
    ):
        ops.backend.backend_ops_test.hollow.default  # noqa: B018
    bind_pattern_to_op(_LIB, "hollow")(lambda x: x + 1)
    assert torch.equal(ops.backend.backend_ops_test.hollow.default(torch.ones(2)), torch.full((2,), 2.0))


def test_tracing_again_gives_the_pattern():
    graph = make_fx(torch.ops.backend_ops_test.add_relu)(torch.ones(2), torch.ones(2)).graph
    targets = [node.target for node in graph.nodes if node.op == "call_function"]
    assert targets == [torch.ops.aten.add.Tensor, torch.ops.aten.relu.default]


def test_a_graph_with_the_operator_exports_and_decomposes():
    class Model(torch.nn.Module):
        def forward(self, x):
            return torch.ops.backend_ops_test.add_relu(x, x)

    program = torch.export.export(Model(), (torch.ones(2),)).run_decompositions()
    targets = {node.target for node in program.graph.nodes if node.op == "call_function"}
    assert targets == {torch.ops.aten.add.Tensor, torch.ops.aten.relu.default}


def test_one_object_per_overload_with_the_documented_names():
    op = ops.backend.backend_ops_test.add_relu.default
    assert isinstance(op, BackendOpOverload) and isinstance(op, EdgeOpOverload)
    assert op is backend_op(torch.ops.backend_ops_test.add_relu.default)
    assert op is copy.deepcopy(op) and op is pickle.loads(pickle.dumps(op))
    assert op is not ops.edge.backend_ops_test.add_relu.default
    assert op.to_edge_op() is ops.edge.backend_ops_test.add_relu.default
    assert op.__module__ == "executorch.exir.dialects.backend._ops"
    assert op.overloadpacket is ops.backend.backend_ops_test.add_relu
    assert str(op) == "backend_ops_test.add_relu.default"


def test_nodes_print_as_documented():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(ops.edge.backend_ops_test.add_relu.default, (x, x)))
    text = str(graph)
    assert "%backend_ops_test_add_relu_default" in text
    assert "executorch.exir.dialects.edge._ops.backend_ops_test.add_relu.default" in text


@pytest.mark.parametrize("schema", bound_ops.PRIM_SCHEMAS)
def test_the_documented_prims(schema):
    name, overload = schema.partition("(")[0].split(".")
    op = getattr(getattr(torch.ops.executorch_prims, name), overload)
    assert str(op._schema) == f"executorch_prims::{schema}"
    arguments = [7, 2][: len(op._schema.arguments)]
    assert op(*arguments) == bound_ops.PRIM_SCHEMAS[schema](*arguments)
    assert op(*arguments) == bound_ops.PRIMS_TO_PRIM[op](*arguments)


def _quantize(x, scale, zero_point):
    return torch.clamp(torch.round(x / scale) + zero_point, -128, 127).to(torch.int8)


@pytest.mark.parametrize("name", ["add", "add_relu"])
def test_quantized_add(name):
    a, b = torch.randn(3, 4), torch.randn(3, 4)
    qa, qb = _quantize(a, 0.05, 3), _quantize(b, 0.04, -2)
    op = getattr(torch.ops.quantized_decomposed, name).default
    found = op(qa, 0.05, 3, -128, 127, qb, 0.04, -2, -128, 127, 0.1, 1, -128, 127)
    exact = (qa.float() - 3) * 0.05 + (qb.float() + 2) * 0.04
    expected = _quantize(exact.relu() if name == "add_relu" else exact, 0.1, 1)
    assert found.dtype == torch.int8
    assert (found.int() - expected.int()).abs().max() <= 1


def test_quantized_add_of_a_number():
    qa = _quantize(torch.randn(8), 0.05, 3)
    op = torch.ops.quantized_decomposed.add.scalar
    found = op(qa, 0.05, 3, -128, 127, torch.int8, 0.5, 0.1, 0, -128, 127, torch.int8)
    expected = _quantize((qa.float() - 3) * 0.05 + 0.5, 0.1, 0)
    assert (found.int() - expected.int()).abs().max() <= 1


@pytest.mark.parametrize("groups", [None, 1, 2])
@pytest.mark.parametrize("zero_points", [False, True])
def test_embedding_of_bytes(groups, zero_points):
    weight = torch.randint(-128, 127, (5, 8), dtype=torch.int8)
    shape = (5,) if groups is None else (5, groups)
    scales = torch.rand(shape)
    zeros = torch.randint(-5, 5, shape).float() if zero_points else None
    indices = torch.tensor([[0, 4], [2, 2]])
    op = torch.ops.quantized_decomposed.embedding_byte
    found = op.default(weight, scales, zeros, -128, 127, indices)
    repeats = 8 // (groups or 1)
    wide = scales.view(5, -1).repeat_interleave(repeats, 1)
    offset = zeros.view(5, -1).repeat_interleave(repeats, 1) if zero_points else 0
    torch.testing.assert_close(found, ((weight - offset) * wide)[indices])
    out = torch.empty(0)
    assert torch.equal(op.out(weight, scales, zeros, -128, 127, indices, out=out), found)
    assert op.dtype(weight, scales, zeros, -128, 127, indices, dtype=torch.float16).dtype == torch.float16
    assert ops.edge.quantized_decomposed.embedding_byte.default.to_out_variant() is op.out


@pytest.mark.parametrize("groups", [None, 2])
@pytest.mark.parametrize(("bits", "packed"), [(4, [[0x12, 0x34], [0xF0, 0x8A]]), (2, [[0x1B], [0xE4]])])
def test_embeddings_of_few_bits(bits, packed, groups):
    lowest = -(1 << (bits - 1))
    values = [[1, 2, 3, 4], [15, 0, 8, 10]] if bits == 4 else [[3, 2, 1, 0], [0, 1, 2, 3]]
    plain = torch.tensor(values, dtype=torch.int8) + lowest
    scales = torch.tensor([0.5, 2.0]) if groups is None else torch.tensor([[0.5, 1.0], [2.0, 3.0]])
    op = getattr(torch.ops.quantized_decomposed, f"embedding_{bits}bit")
    rest = (scales, None, lowest, -lowest - 1, torch.tensor([1, 0]))
    table = torch.tensor(packed, dtype=torch.uint8)
    wanted = torch.ops.quantized_decomposed.embedding_byte(plain, scales, None, -128, 127, rest[-1])
    torch.testing.assert_close(op(table, *rest), wanted)
    assert op.dtype(table, *rest, dtype=torch.float16).dtype is torch.float16
    torch.testing.assert_close(op.out(table, *rest, out=torch.empty(0)), wanted)
    assert (
        getattr(ops.edge.quantized_decomposed, f"embedding_{bits}bit").dtype.to_out_variant() is op.dtype_out
    )
    with pytest.raises(ValueError, match=f"a table of {bits} bits holds"):
        op(table, scales, None, 0, 3, rest[-1])
