"""The documented questions about the tensors of a graph."""

import pytest
import torch

from executorch.dialects import memory, meta_keys
from executorch.dialects.errors import InternalError
from executorch.dialects.tensor_spec import TensorShapeDynamism
from executorch.memory_planning import (
    apply_algo,
    collect_specs_from_nodes,
    do_user_inputs_exist,
    filter_nodes,
    get_cond_nodes,
    get_graph_input_tensors,
    get_graph_output_tensors,
    get_input_specs,
    get_node_tensor_specs,
    get_return_specs,
    greedy,
    insert_calls_to_free,
    is_inplace_node,
    is_mutable_buffer,
    is_out_var_node,
    update_all_tensors_lifetime,
    update_tensor_lifetime,
)
from executorch.memory_planning.testing import ExecutionGraph

relu = torch.ops.aten.relu.out


def spec(node):
    return node.meta[meta_keys.SPEC]


@pytest.fixture
def method():
    """weight, state (changed), x -> relu -> view -> relu -> output; the state becomes state + x."""
    graph = ExecutionGraph()
    weight = graph.constant(torch.ones(4))
    state = graph.buffer(torch.zeros(4))
    x = graph.input(4)
    total = graph.add(state, x)
    first = graph.call(relu, graph.add(total, weight), shape=(4,))
    view = graph.view(first, 2, 2)
    result = graph.call(relu, view, shape=(2, 2))
    graph.write_back(state, total)
    graph.output(result)
    nodes = {"weight": weight, "state": state, "x": x, "first": first, "view": view, "result": result}
    return graph.module(), graph.signature(), nodes


def collected(method, **options):
    return list(collect_specs_from_nodes(method[0].graph.nodes, method[1], **options))


def test_everything_that_owns_bytes_once(method):
    nodes = method[2]
    specs = collected(method)
    assert len(specs) == len(set(specs)) == 6
    assert spec(nodes["weight"]) not in specs and spec(nodes["view"]) not in specs
    assert specs[0] is spec(nodes["state"])
    assert len(collected(method, dedup=False)) > 6
    assert spec(nodes["weight"]) in collected(method, ignore_const=False)
    assert [node.name for node in filter_nodes([1, None, [nodes["x"]], {"a": (nodes["view"],)}])] == [
        nodes["x"].name,
        nodes["view"].name,
    ]


def test_inputs_results_and_state_can_be_left_out(method):
    nodes = method[2]
    assert spec(nodes["x"]) not in collected(method, ignore_graph_input=True)
    assert spec(nodes["state"]) in collected(method, ignore_graph_input=True)
    assert spec(nodes["result"]) not in collected(method, ignore_graph_output=True)
    assert spec(nodes["state"]) not in collected(method, ignore_mutable_buffers=True)


def test_an_out_variant_makes_no_tensor_of_its_own(method):
    with pytest.raises(InternalError, match=r"add\.out"):
        collected(method, ignore_out_var_node=False)
    assert len(collected(method, ignore_out_var_node=False, do_assertion=False)) == 6


def test_inputs_and_results(method):
    module, signature, nodes = method
    graph = module.graph.nodes
    assert get_graph_input_tensors(graph, signature) == {spec(nodes["weight"]), spec(nodes["x"])}
    assert get_input_specs(module) == {spec(nodes[name]) for name in ("weight", "state", "x")}
    assert get_graph_output_tensors(graph) == get_return_specs(module)
    assert get_return_specs(module) == {spec(nodes["result"]), spec(nodes["state"])}
    assert get_node_tensor_specs(nodes["first"]) == [spec(nodes["first"])]
    assert do_user_inputs_exist(signature) and not do_user_inputs_exist(None)


def test_kinds_of_nodes(method):
    module, signature, nodes = method
    assert is_out_var_node(nodes["first"]) and not is_out_var_node(nodes["view"])
    assert [node.target for node in module.graph.nodes if is_inplace_node(node)] == [
        torch.ops.aten.copy_.default
    ]
    assert is_mutable_buffer(nodes["state"], signature) and not is_mutable_buffer(nodes["x"], signature)
    assert not is_mutable_buffer(nodes["state"], None)
    assert list(get_cond_nodes(module)) == []


def test_lifetimes_grow_with_each_use(method):
    _, signature, nodes = method
    update_tensor_lifetime(nodes["first"], spec(nodes["first"]), 5, 20, signature)
    update_tensor_lifetime(nodes["result"], spec(nodes["first"]), 9, 20, signature)
    assert spec(nodes["first"]).lifetime == [5, 9]
    update_tensor_lifetime(nodes["state"], spec(nodes["state"]), 1, 20, signature)
    assert spec(nodes["state"]).lifetime == [0, 20]
    update_tensor_lifetime(nodes["x"], spec(nodes["x"]), 2, 20, signature)
    assert spec(nodes["x"]).lifetime == [0, 2]


def test_apply_algo_writes_places_and_returns_sizes(method):
    module, signature, nodes = method
    assert apply_algo(greedy, module, 16, signature) == [0, 64]
    assert apply_algo(greedy, module, 32, signature, alloc_mutable_buffers=False) == [0, 96]
    assert spec(nodes["state"]).mem_offset is None and spec(nodes["x"]).mem_offset is not None


def test_unbounded_values_are_freed_after_their_last_use():
    graph = ExecutionGraph()
    x = graph.input(4)
    middle = graph.call(relu, x, shape=(4,))
    last = graph.call(relu, middle, shape=(4,))
    graph.output(graph.call(relu, last, shape=(4,)))
    spec(middle).shape_dynamism = TensorShapeDynamism.DYNAMIC_UNBOUND
    module = graph.module()
    specs = update_all_tensors_lifetime(module)
    insert_calls_to_free(module, specs)
    names = [node.name for node in module.graph.nodes]
    free = next(node for node in module.graph.nodes if node.target is memory.free)
    assert spec(free.args[0]) is spec(middle)
    assert names.index(free.name) == names.index(last.name) + 1
