"""What follows from an edit is settled: values, dead code, the generated code; in control-flow bodies too."""

import torch

from executorch.dialects.edge_ops import edge_op
from executorch.ir.programs_for_tests import functional
from executorch.ir.rewriter import arguments, call_like, edited, is_call, replace
from executorch.ir.values import shape_of, tensor_of

_aten = torch.ops.aten


def _find(graph, op):
    return next(node for node in graph.nodes if is_call(node, op))


def test_values_follow_an_edit_as_far_as_they_change():
    module = functional(lambda x: (x.sum(1).relu(), x.cos()), torch.ones(2, 3)).graph_module
    total, cosine = _find(module.graph, _aten.sum.dim_IntList), _find(module.graph, _aten.cos.default)
    untouched = tensor_of(cosine)

    def sum_the_other_dimension(module):
        total.update_arg(1, [0])
        return True

    assert edited(module, sum_the_other_dimension)
    assert shape_of(total) == (3,) == shape_of(_find(module.graph, _aten.relu.default))
    assert tensor_of(cosine) is untouched
    assert module(torch.ones(2, 3))[0].shape == (3,)


def test_nothing_happens_without_an_edit():
    module = functional(torch.sin, torch.ones(2)).graph_module
    module.graph.call_function(_aten.sin.default, (module.graph.find_nodes(op="placeholder")[0],))
    assert not edited(module, lambda module: False)
    assert len(module.graph.find_nodes(op="call_function", target=_aten.sin.default)) == 2


def test_calls_are_replaced_in_bodies_too():
    program = functional(lambda x: torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,)), torch.ones(2))

    def tangent(module):
        for node in [one for one in module.graph.nodes if is_call(one, _aten.cos.default)]:
            made = call_like(node, _aten.tan.default, node.args)
            assert made.meta["stack_trace"] == node.meta["stack_trace"] and shape_of(made) == (2,)
            replace(node, made)
            return True
        return False

    assert edited(program.graph_module, tangent)
    body = program.graph_module.false_graph_0
    assert not [node for node in body.graph.nodes if is_call(node, _aten.cos.default)]
    assert torch.equal(body(-torch.ones(2))[0], torch.tan(-torch.ones(2)))


def test_new_calls_are_of_the_dialect_of_what_they_replace():
    graph = functional(torch.sin, torch.ones(2)).graph
    node = _find(graph, _aten.sin.default)
    assert call_like(node, _aten.cos.default, node.args).target is _aten.cos.default
    node.target = edge_op(_aten.sin.default)
    assert call_like(node, _aten.cos.default, node.args).target is edge_op(_aten.cos.default)


def test_arguments_by_name_and_with_defaults():
    graph = functional(lambda x: x.sum(1), torch.ones(2, 3)).graph
    named = arguments(_find(graph, _aten.sum.dim_IntList))
    assert named["dim"] == [1] and named["keepdim"] is False and named["dtype"] is None
