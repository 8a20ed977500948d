"""Lifetimes: what is live when, with views, buffers, branches and delegates."""

import pytest
import torch
from torch._higher_order_ops.map import map_impl

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec
from executorch.memory_planning.errors import MemoryPlanningError
from executorch.memory_planning.testing import ExecutionGraph
from executorch.memory_planning.timeline import Role, build_timeline, update_all_tensors_lifetime

ops = torch.ops.aten


def spec(node):
    return node.meta[meta_keys.SPEC]


def timeline(graph):
    return build_timeline(graph.module(), graph.signature())


def names(found):
    return {storage.leader: storage for storage in found.storages}


def test_a_value_lives_from_its_allocation_to_its_last_use():
    graph = ExecutionGraph()
    x = graph.input(4)
    first = graph.call(ops.relu.out, x, shape=(4,))
    second = graph.call(ops.relu.out, first, shape=(4,))
    graph.output(graph.add(first, second))
    found = timeline(graph)
    steps = [node.name for node in found.steps]
    begin, end = spec(first).lifetime
    assert steps[begin] == "alloc" and steps[end] == "add_out"
    assert spec(x).lifetime == [0, steps.index("relu_out")]


def test_inputs_are_live_from_the_start_and_outputs_to_the_end():
    graph = ExecutionGraph()
    x, y = graph.input(4), graph.input(4, name="y")
    late = graph.call(ops.relu.out, y, shape=(4,))
    graph.output(graph.call(ops.relu.out, x, shape=(4,)), late)
    found = timeline(graph)
    assert spec(y).lifetime[0] == 0
    assert spec(late).lifetime[1] == len(found.steps) - 1
    assert names(found)[spec(late)].role is Role.OUTPUT
    assert names(found)[spec(x)].role is Role.INPUT


def test_a_view_keeps_its_base_alive():
    graph = ExecutionGraph()
    x = graph.input(4)
    base = graph.call(ops.relu.out, x, shape=(2, 2))
    flat = graph.view(base, 4)
    other = graph.call(ops.relu.out, x, shape=(4,))
    graph.output(graph.add(flat, other))
    found = timeline(graph)
    assert found.steps[spec(base).lifetime[1]].name == "add_out"
    assert spec(flat) not in names(found)


def test_mutable_buffers_live_all_the_time():
    graph = ExecutionGraph()
    buffer = graph.buffer(torch.zeros(4))
    x = graph.input(4)
    graph.write_back(buffer, graph.add(buffer, x))
    graph.output(graph.call(ops.relu.out, x, shape=(4,)))
    found = timeline(graph)
    assert spec(buffer).lifetime == [0, len(found.steps) - 1]
    assert names(found)[spec(buffer)].role is Role.MUTABLE_BUFFER


def test_constants_get_no_place():
    graph = ExecutionGraph()
    weight = graph.constant(torch.ones(4))
    graph.output(graph.add(graph.input(4), weight))
    found = timeline(graph)
    assert spec(weight) not in [storage.leader for storage in found.planned()]


def test_a_getitem_touches_only_what_it_picks():
    graph = ExecutionGraph()
    x = graph.input(8)
    specs = [TensorSpec(torch.float32, (3,)), TensorSpec(torch.int64, (3,))]
    values, indices = graph.call_with(ops.topk.values, specs, x, 3)
    graph.output(values)
    timeline(graph)
    assert spec(indices).lifetime[1] < spec(values).lifetime[1]


def branches(true_result, false_result):
    """A condition over x whose branches return what the two functions make of their placeholder."""
    graph = ExecutionGraph()
    predicate, x = graph.input(dtype=torch.bool, name="p"), graph.input(4)
    bodies = []
    for make in (true_result, false_result):
        body = ExecutionGraph()
        body.output(*make(body, body.input(4)))
        bodies.append(body)
    results = graph.cond(predicate, bodies, [x])
    return graph, x, bodies, results


def relu(body, x):
    return body.call(ops.relu.out, x, shape=(4,))


def test_the_results_of_branches_share_the_place_of_the_condition():
    graph, x, bodies, (result,) = branches(
        lambda body, x: [relu(body, x)], lambda body, x: [relu(body, relu(body, x))]
    )
    graph.output(relu(graph, result))
    found = timeline(graph)
    shared = [spec(result), spec(bodies[0].returned[0]), spec(bodies[1].returned[0])]
    assert len([storage for storage in found.storages if shared[0] in storage.specs]) == 1
    assert all(len(storage.specs) in (1, 3) for storage in found.storages)
    assert shared[0].lifetime == shared[1].lifetime == shared[2].lifetime
    # The operand is used by both branches, so it lives until the second one has read it.
    assert found.steps[spec(x).lifetime[1]].name == "relu_out"
    assert spec(x).lifetime[1] > spec(bodies[1].returned[0]).lifetime[0]


def test_a_branch_that_returns_its_operand_keeps_it_alive():
    graph, x, bodies, (result,) = branches(lambda body, x: [x], lambda body, x: [relu(body, x)])
    graph.output(relu(graph, result))
    found = timeline(graph)
    assert spec(x).lifetime[1] >= spec(result).lifetime[1]
    assert spec(bodies[1].returned[0]).lifetime[1] >= spec(result).lifetime[1]
    assert all(len(storage.specs) == 1 for storage in found.storages)


def test_one_value_returned_twice_is_not_merged_with_two_values():
    def twice(body, x):
        value = relu(body, x)
        return [value, value]

    graph, _, bodies, results = branches(twice, lambda body, x: [relu(body, x), relu(body, x)])
    graph.output(*results)
    found = timeline(graph)
    one, two = [spec(node) for node in bodies[1].returned]
    storage_of = {spec: storage for storage in found.storages for spec in storage.specs}
    assert storage_of[one] is not storage_of[two]
    last = spec(results[1]).lifetime[1]
    assert one.lifetime[1] >= last and two.lifetime[1] >= last


def test_loops_are_refused_with_a_way_out():
    graph = ExecutionGraph()
    x = graph.input(4)
    body = ExecutionGraph()
    body.output(relu(body, body.input(4)))
    node = graph.graph.call_function(map_impl, (graph._module(body.module()), (x,), ()))
    node.meta[meta_keys.SPEC] = (TensorSpec(torch.float32, (4,)),)
    graph.output(node)
    with pytest.raises(MemoryPlanningError, match=r"map_impl.*Way out"):
        timeline(graph)


def test_update_all_tensors_lifetime_returns_the_owners_of_bytes():
    graph = ExecutionGraph()
    x = graph.input(4)
    flat = graph.view(x, 2, 2)
    graph.output(graph.call(ops.relu.out, flat, shape=(2, 2)))
    found = update_all_tensors_lifetime(graph.module(), graph.signature())
    assert spec(x) in found and spec(flat) not in found
    assert all(None not in item.lifetime for item in found)
