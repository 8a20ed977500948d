"""Recognising the nodes of the execution form, and its verifier: one broken graph per rule."""

import operator

import pytest
import torch
from torch._higher_order_ops.executorch_call_delegate import executorch_call_delegate

from executorch.dialects import execution, memory, meta_keys
from executorch.dialects.errors import SpecViolationError
from executorch.dialects.tensor_spec import TensorSpec
from executorch.dialects.verifiers import verify_execution_graph

aten = torch.ops.aten


def _spec(*shape):
    return TensorSpec(torch.float32, shape or (2,))


class _Graph:
    """``relu`` in execution form, to be broken by the tests."""

    def __init__(self):
        self.graph = torch.fx.Graph()
        self.x = self.node(self.graph.placeholder("x"), _spec())
        spec = _spec()
        self.alloc = self.node(self.graph.call_function(memory.alloc, (((2,), torch.float32),)), spec)
        self.relu = self.node(self.graph.call_function(aten.relu.out, (self.x,), {"out": self.alloc}), spec)

    @staticmethod
    def node(node, spec):
        node.meta[meta_keys.SPEC] = spec
        return node

    def module(self, *results):
        self.graph.output(results or (self.relu,))
        return torch.fx.GraphModule({"weight": torch.nn.Parameter(torch.ones(1))}, self.graph)


def test_a_valid_graph_passes():
    verify_execution_graph(_Graph().module())


def test_recognition():
    graph = _Graph()
    assert execution.is_alloc(graph.alloc) and not execution.is_alloc(graph.relu)
    assert execution.is_out_variant(graph.relu.target) and execution.out_arguments(graph.relu) == [
        graph.alloc
    ]
    assert execution.out_argument_names(aten.max_pool2d_with_indices.out) == ["out", "indices"]
    view = graph.graph.call_function(memory.view, (graph.relu, [2, 1]))
    assert execution.is_view(view) and not execution.is_free(view)
    item = graph.graph.call_function(operator.getitem, (graph.relu, 0))
    assert execution.is_getitem(item)
    copy = graph.graph.call_function(aten.copy_.default, (graph.x, graph.relu))
    assert execution.is_in_place(copy) and not execution.is_in_place(graph.relu)
    size = graph.graph.call_function(aten.sym_size.int, (graph.x, 0))
    assert execution.is_primitive(size) and not execution.is_primitive(copy)
    call = graph.graph.call_function(executorch_call_delegate, (graph.x,))
    assert execution.is_delegate_call(call) and execution.is_higher_order(call)
    cond = graph.graph.call_function(torch.ops.higher_order.cond, ())
    assert execution.is_higher_order(cond) and not execution.is_delegate_call(cond)


def test_specs_are_flattened():
    first, second = _spec(), _spec()
    assert execution.flatten_specs((first, [second, 3], None)) == [first, second]
    assert execution.tensor_specs(_Graph().relu)


def _functional(graph):
    return graph.node(graph.graph.call_function(aten.relu.default, (graph.x,)), _spec())


def _without_spec(graph):
    return graph.graph.call_function(aten.sym_size.int, (graph.x, 0))


def _symbolic(graph):
    spec = _spec()
    spec.shape = [torch.sym_int]
    return graph.node(graph.graph.call_function(aten.sym_size.int, (graph.x, 0)), spec)


def _out_is_no_alloc(graph):
    return graph.node(graph.graph.call_function(aten.relu.out, (graph.x,), {"out": graph.x}), _spec())


def _out_is_missing(graph):
    return graph.node(graph.graph.call_function(aten.relu.out, (graph.x,)), _spec())


def _spec_is_not_shared(graph):
    alloc = graph.node(graph.graph.call_function(memory.alloc, (((2,), torch.float32),)), _spec())
    return graph.node(graph.graph.call_function(aten.relu.out, (graph.x,), {"out": alloc}), _spec())


def _alloc_twice(graph):
    spec = graph.alloc.meta[meta_keys.SPEC]
    return graph.node(graph.graph.call_function(aten.relu.out, (graph.x,), {"out": graph.alloc}), spec)


def _python_function(graph):
    return graph.node(graph.graph.call_function(torch.relu, (graph.x,)), _spec())


def _data_attribute(graph):
    return graph.node(graph.graph.get_attr("weight"), _spec())


def _method(graph):
    return graph.node(graph.graph.call_method("relu", (graph.x,)), _spec())


def _sparse(graph):
    spec = _spec()
    spec.is_sparse = True
    return graph.node(graph.graph.placeholder("y"), spec)


@pytest.mark.parametrize(
    ("breakage", "message"),
    [
        (_functional, "is not an operator of the execution form"),
        (_without_spec, "has no spec"),
        (_symbolic, "symbols instead of upper bounds"),
        (_out_is_no_alloc, "is not a memory.alloc node"),
        (_out_is_missing, r"\['out'\] are not given by keyword"),
        (_spec_is_not_shared, "not those of its out arguments"),
        (_alloc_twice, "out argument of several nodes"),
        (_python_function, "is not an operator of the execution form"),
        (_data_attribute, "must be lifted"),
        (_method, "call_method nodes are not allowed"),
        (_sparse, "dense strided tensors only"),
    ],
)
def test_each_rule_is_checked(breakage, message):
    graph = _Graph()
    broken = breakage(graph)
    with pytest.raises(SpecViolationError, match=message):
        verify_execution_graph(graph.module(broken))


def test_memory_operators_compute_in_python():
    assert memory.alloc(((2, 3), torch.int8)).shape == (2, 3)
    assert [tensor.dtype for tensor in memory.alloc([((1,), torch.int8), ((2,), torch.bool)])] == [
        torch.int8,
        torch.bool,
    ]
    assert memory.view(torch.arange(6), [2, -1]).shape == (2, 3)
    assert memory.free(torch.ones(1)) is None


def test_memory_operators_print_their_documented_path():
    graph = torch.fx.Graph()
    graph.call_function(memory.alloc, (((2,), torch.float32),))
    assert "target=executorch.exir.memory.alloc" in str(graph)
