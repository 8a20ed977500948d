"""The ATen and edge verifiers: a valid graph passes, and each rule is broken once."""

import operator

import pytest
import torch
from torch._export.verifier import load_verifier

from executorch.dialects.errors import SpecViolationError
from executorch.dialects.ops import ops
from executorch.dialects.verifiers import (
    DialectRules,
    EdgeVerifier,
    UncheckedEdgeVerifier,
    edge_verifier,
    is_core,
    node_dtypes,
    verify_aten_graph,
    verify_edge_graph,
)

aten, edge = torch.ops.aten, ops.edge.aten


class _Graph:
    def __init__(self, dtype=torch.float32):
        self.graph = torch.fx.Graph()
        self.x = self.graph.placeholder("x")
        self.x.meta["val"] = torch.empty(2, 3, dtype=dtype)

    def call(self, target, *args, val="compute", **kwargs):
        node = self.graph.call_function(target, args, kwargs)
        if val == "compute":
            val = target(*torch.fx.node.map_arg(args, lambda item: item.meta["val"]), **kwargs)
        if val is not None:
            node.meta["val"] = val
        return node

    def module(self, *results):
        self.graph.output(results)
        return torch.fx.GraphModule({"weight": torch.nn.Parameter(torch.ones(1))}, self.graph)


# ---- ATen -------------------------------------------------------------------------------------------------------


def test_core_aten_passes():
    graph = _Graph()
    size = graph.call(aten.sym_size.int, graph.x, 0, val=2)
    double = graph.call(operator.mul, size, 2, val=4)
    verify_aten_graph(graph.module(graph.call(aten.relu.default, graph.x), double))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g: g.call(aten.svd.default, g.x, val=(g.x.meta["val"],) * 3), "is not a core ATen operator"),
        (lambda g: g.call(aten.relu_.default, g.x), "changes its arguments"),
        (lambda g: g.call(aten.relu.default, g.x, val=None), "no example value"),
        (lambda g: g.call(torch.nn.functional.relu, g.x), "neither an operator with a schema nor arithmetic"),
        (lambda g: g.graph.call_method("relu", (g.x,)), "call_method nodes are not allowed"),
        (lambda g: g.graph.call_module("weight", (g.x,)), "call_module nodes are not allowed"),
        (lambda g: g.graph.get_attr("weight"), "must be lifted"),
    ],
)
def test_aten_rules(make, message):
    graph = _Graph()
    node = make(graph)
    with pytest.raises(SpecViolationError, match=message) as caught:
        verify_aten_graph(graph.module(node))
    assert node.name in str(caught.value)


def test_all_offending_operators_are_listed():
    graph = _Graph()
    val = (graph.x.meta["val"],) * 3
    first = graph.call(aten.svd.default, graph.x, val=val)
    second = graph.call(aten.linalg_svd.default, graph.x, val=val)
    with pytest.raises(SpecViolationError) as caught:
        verify_aten_graph(graph.module(first, second))
    text = str(caught.value)
    assert "2 problems" in text and "aten.svd.default" in text and "aten.linalg_svd.default" in text
    assert "preserve_ops" in text


def test_exceptions_let_operators_pass():
    graph = _Graph()
    node = graph.call(aten.svd.default, graph.x, val=(graph.x.meta["val"],) * 3)
    verify_aten_graph(graph.module(node), DialectRules(exceptions=frozenset({aten.svd.default})))


def test_what_is_core():
    assert is_core(aten.add.Tensor) and is_core(aten.view_copy.default)
    assert is_core(torch.ops.dim_order_ops._clone_dim_order.default)
    assert not is_core(aten.linear.default)


def test_control_flow_bodies_are_checked():
    inner = _Graph()
    body = inner.module(inner.call(aten.relu_.default, inner.x))
    outer = _Graph()
    attribute = outer.graph.get_attr("body")
    cond = outer.call(torch.ops.higher_order.cond, attribute, val=(outer.x.meta["val"],))
    outer.graph.output((cond,))
    module = torch.fx.GraphModule({"body": body}, outer.graph)
    with pytest.raises(SpecViolationError, match="changes its arguments"):
        verify_aten_graph(module)


# ---- edge -------------------------------------------------------------------------------------------------------


def test_edge_passes():
    graph = _Graph()
    relu = graph.call(edge.relu.default, graph.x)
    size = graph.call(aten.sym_size.int, graph.x, 0, val=2)
    verify_edge_graph(graph.module(graph.call(edge.add.Tensor, relu, graph.x), size))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda g: g.call(aten.relu.default, g.x), "use ops.edge.aten.relu.default"),
        (lambda g: g.call(edge.relu_.default, g.x), "changes its arguments"),
        (lambda g: g.call(edge.view.default, g.x, [6]), "returns a view"),
        (lambda g: g.call(edge.linear.default, g.x, g.x), "is not a core ATen operator"),
        (lambda g: g.call(edge.relu.default, g.x, val=None), "no example value"),
        (lambda g: g.call(edge.add.Tensor, g.x, 1), "'other' is the number 1"),
        (lambda g: g.call(edge.clone.default, g.x), "names a memory format"),
        (lambda g: g.call(torch.nn.functional.relu, g.x), "neither an operator with a schema"),
        (lambda g: g.graph.call_method("relu", (g.x,)), "call_method nodes are not allowed"),
        (lambda g: g.graph.get_attr("weight"), "must be lifted"),
        (
            lambda g: g.call(edge.bitwise_not.default, g.x, val=g.x.meta["val"]),
            "element types self=float32, __ret_0=float32 are not allowed",
        ),
    ],
)
def test_edge_rules(make, message):
    graph = _Graph()
    node = make(graph)
    with pytest.raises(SpecViolationError, match=message) as caught:
        verify_edge_graph(graph.module(node))
    assert node.name in str(caught.value)


def test_mixed_element_types_are_not_allowed():
    graph = _Graph()
    other = graph.graph.placeholder("y")
    other.meta["val"] = torch.empty(2, 3, dtype=torch.int32)
    node = graph.call(edge.add.Tensor, graph.x, other)
    module = graph.module(node)
    with pytest.raises(SpecViolationError, match="self=float32, other=int32"):
        verify_edge_graph(module)
    verify_edge_graph(module, DialectRules(check_dtypes=False))


def test_memory_formats_pass_when_dim_orders_are_off():
    graph = _Graph()
    verify_edge_graph(graph.module(graph.call(edge.clone.default, graph.x)), DialectRules(dim_order=False))


def test_half_tensors_are_not_judged():
    graph = _Graph(torch.float16)
    verify_edge_graph(graph.module(graph.call(edge.add.Tensor, graph.x, graph.x)))


def test_types_of_a_node():
    graph = _Graph()
    other = graph.graph.placeholder("y")
    other.meta["val"] = torch.empty(2, 3, dtype=torch.int32)
    cat = graph.call(edge.cat.default, [graph.x, other], val=torch.empty(4, 3))
    assert node_dtypes(cat) == {"tensors": torch.int32, "__ret_0": torch.float32}


def test_a_set_of_rules_has_one_verifier_which_is_registered_once():
    rules = DialectRules(exceptions=frozenset([torch.ops.aten.linear.default]))
    registered = load_verifier("EDGE")
    first = edge_verifier(rules)
    assert edge_verifier(DialectRules(exceptions=frozenset([torch.ops.aten.linear.default]))) is first
    assert load_verifier("EDGE") is registered is UncheckedEdgeVerifier


def test_verifiers_of_other_dialects_are_registered_too():
    class Mine(EdgeVerifier):
        dialect = "EDGE_OF_MINE"

    assert load_verifier("EDGE_OF_MINE") is Mine


def test_verifier_classes():
    assert edge_verifier(DialectRules()) is EdgeVerifier and EdgeVerifier.dialect == "EDGE"
    relaxed = edge_verifier(DialectRules(dim_order=False))
    assert relaxed is not EdgeVerifier and relaxed.dialect == "EDGE" and not relaxed.rules.dim_order
