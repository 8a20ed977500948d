"""Edge operators: identity, names, schemas, calls."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from executorch.dialects import backend_ops, edge_ops
from executorch.dialects.edge_ops import EdgeOpOverload, EdgeOpOverloadPacket, aten_op, edge_op
from executorch.dialects.ops import ops

sigmoid = ops.edge.aten.sigmoid.default


def test_there_is_one_object_per_overload():
    assert ops.edge.aten.add.Tensor is ops.edge.aten.add.Tensor
    assert edge_op(torch.ops.aten.add.Tensor) is ops.edge.aten.add.Tensor
    assert ops.edge.aten.add.Tensor is not ops.edge.aten.add.Scalar


def _asked_for_at_once(monkeypatch, ask):
    """What two threads get that ask first for the same thing, both before either has it."""
    both = threading.Barrier(2)
    schema = edge_ops.EdgeFunctionSchema
    packet = edge_ops.EdgeOpOverloadPacket.__init__

    def slow_schema(*args):
        both.wait(10)
        return schema(*args)

    def slow_packet(self, *args):
        both.wait(10)
        packet(self, *args)

    monkeypatch.setattr(edge_ops, "EdgeFunctionSchema", slow_schema)
    monkeypatch.setattr(edge_ops.EdgeOpOverloadPacket, "__init__", slow_packet)
    with ThreadPoolExecutor(2) as threads:
        one, other = [threads.submit(ask) for _ in range(2)]
        return one.result(), other.result()


_asinh = torch.ops.aten.asinh


@pytest.mark.parametrize(
    ("module", "table", "ask"),
    [
        (edge_ops, "_edge_ops", lambda: edge_op(_asinh.default)),
        (edge_ops, "_edge_packets", lambda: edge_ops.edge_packet(_asinh)),
        (backend_ops, "_backend_ops", lambda: backend_ops.backend_op(_asinh.default)),
        (backend_ops, "_backend_packets", lambda: backend_ops.backend_packet(_asinh)),
    ],
)
def test_threads_that_ask_first_get_one_object(monkeypatch, module, table, ask):
    monkeypatch.setattr(module, table, {})
    one, other = _asked_for_at_once(monkeypatch, ask)
    assert one is other and ask() is one


def test_copies_and_pickles_are_the_same_object():
    assert copy.deepcopy(sigmoid) is sigmoid and copy.copy(sigmoid) is sigmoid
    assert pickle.loads(pickle.dumps(sigmoid)) is sigmoid


def test_the_documented_schema_of_sigmoid():
    assert str(sigmoid._schema) == "aten::sigmoid(Tensor self) -> Tensor"
    integers = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
    floats = {torch.float16, torch.bfloat16, torch.float32, torch.float64}
    assert sigmoid._schema.arguments[0].allowed_types == integers | floats
    assert sigmoid._schema.returns[0].allowed_types == floats


def test_the_schema_answers_like_the_aten_schema():
    schema = ops.edge.aten.sum.dim_IntList._schema
    assert schema.name == "aten::sum" and schema.overload_name == "dim_IntList" and not schema.is_mutable
    assert [arg.name for arg in schema.args] == ["self", "dim", "keepdim"]
    assert [arg.name for arg in schema.kwargs] == ["dtype"]
    assert schema.arguments[1].allowed_types is None
    assert list(schema.tensor_names()) == ["self", "__ret_0"]


def test_nodes_and_targets_have_the_documented_names():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    add = graph.call_function(ops.edge.aten.add.Tensor, (x, x))
    clone = graph.call_function(ops.edge.dim_order_ops._clone_dim_order.default, (add,))
    graph.output(clone)
    assert (add.name, clone.name) == ("aten_add_tensor", "dim_order_ops__clone_dim_order_default")
    assert "target=executorch.exir.dialects.edge._ops.aten.add.Tensor" in str(graph)
    code = torch.fx.GraphModule({}, graph).code
    assert "executorch_exir_dialects_edge__ops_aten_add_Tensor(x, x)" in code


def test_calling_computes():
    assert torch.equal(ops.edge.aten.add.Tensor(torch.ones(2), torch.ones(2)), torch.full((2,), 2.0))
    assert torch.equal(ops.edge.aten.relu(torch.tensor([-1.0])), torch.zeros(1))


def test_what_is_not_defined_here_is_the_wrapped_operators():
    assert torch.Tag.core in sigmoid.tags
    assert sigmoid.name() == "aten::sigmoid" and str(ops.edge.aten.add.Tensor) == "aten.add.Tensor"
    assert repr(sigmoid).startswith("<EdgeOpOverload: aten.sigmoid.default>")


def test_out_variants():
    assert ops.edge.aten.add.Tensor.to_out_variant() is torch.ops.aten.add.out


def test_packets():
    packet = ops.edge.aten.add
    assert isinstance(packet, EdgeOpOverloadPacket) and "Tensor" in packet.overloads()
    assert ops.edge.aten.add.Tensor.overloadpacket is packet
    with pytest.raises(AttributeError):
        _ = packet.no_such_overload


def test_unknown_operators_are_attribute_errors():
    with pytest.raises(AttributeError):
        _ = ops.edge.aten.no_such_operator


def test_other_namespaces_are_torchs():
    assert ops.aten.add.out is torch.ops.aten.add.out


def test_aten_op():
    assert aten_op(sigmoid) is torch.ops.aten.sigmoid.default
    assert aten_op(torch.ops.aten.sigmoid.default) is torch.ops.aten.sigmoid.default
    assert aten_op(len) is None and isinstance(sigmoid, EdgeOpOverload)


def test_symbolic_traces_keep_edge_operators():
    def pattern(x, y):
        return ops.edge.aten.cat.default([ops.edge.aten.add.Tensor(x, other=y), y])

    graph = torch.fx.symbolic_trace(pattern).graph
    targets = [node.target for node in graph.nodes if node.op == "call_function"]
    assert targets == [ops.edge.aten.add.Tensor, ops.edge.aten.cat.default]


def test_the_constraint_of_a_call_is_there_to_be_asked():
    constraint = ops.edge.aten.add.Tensor._schema.dtype_constraint
    assert constraint.essential_tensor_io_names == ["self", "other", "__ret_0"]
    floats = {"self": torch.float32, "other": torch.float32, "__ret_0": torch.float32}
    assert constraint.validate(floats)
    assert not constraint.validate({**floats, "self": torch.int32})
    assert not constraint.validate({**floats, "more": torch.int32})
    assert not constraint.validate({"self": torch.float32})
    convolution = ops.edge.aten.convolution.default._schema.dtype_constraint
    assert convolution.optional_tensor_io_names == ["bias"]
    with torch.library._scoped_library("edge_ops_constraint", "DEF") as library:
        library.define("free(Tensor a) -> Tensor")
        free = ops.edge.edge_ops_constraint.free.default._schema.dtype_constraint
    assert free.validate({"a": torch.float16, "__ret_0": torch.bool}) and not free.validate({"a": torch.bool})


def test_operators_of_aten_are_no_backend_operators():
    with pytest.raises(RuntimeError, match=r"ops\.edge\.aten has the operators"):
        ops.backend.aten  # noqa: B018 - asking is what fails
