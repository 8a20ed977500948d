"""Lifetimes: what is live when, with views, buffers, branches and delegates."""

import pytest
import torch

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


def test_a_question_about_sizes_needs_no_bytes():
    graph = ExecutionGraph()
    x = graph.input(4, bounded=True)
    first = graph.call(ops.relu.out, x, shape=(4,))
    last = graph.call(ops.relu.out, first, shape=(4,))
    graph.number(torch.ops.aten.sym_size.int, x, 0, value=4)
    item = graph.number(torch.ops.aten._local_scalar_dense.default, first)
    graph.output(last)
    steps = timeline(graph).steps
    assert steps[spec(x).lifetime[1]].target is ops.relu.out
    assert steps[spec(first).lifetime[1]] is item


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


def overlap(one, other):
    (first, last), (begin, end) = one.lifetime, other.lifetime
    return first <= end and begin <= last


def while_loop(make, outside):
    """Repeats `make` on one carried value while a truth value computed from it holds; `outside` is shared."""
    graph = ExecutionGraph()
    x, shared = graph.input(4), outside(graph)
    condition, body = ExecutionGraph(), ExecutionGraph()
    carried = condition.input(4)
    condition.input(4)
    condition.output(condition.call(ops.any.all_out, carried, shape=(), dtype=torch.bool))
    body.output(make(body, body.input(4), body.input(4)))
    specs = [TensorSpec(torch.float32, (4,))]
    (result,) = graph.loop(torch.ops.higher_order.while_loop, specs, condition, body, (x,), (shared,))
    return graph, x, shared, condition, body, result


def test_what_a_loop_reads_again_lives_until_its_end():
    graph, x, shared, condition, body, result = while_loop(
        lambda body, x, y: relu(body, body.add(x, y)), lambda graph: relu(graph, graph.input(4, name="y"))
    )
    graph.output(relu(graph, result))
    found = timeline(graph)
    (new,) = body.returned
    (holds,) = condition.returned
    # The initial value is copied when the loop begins; the loop's result is the place of what it carries.
    assert spec(x).lifetime[1] == spec(result).lifetime[0] and not overlap(spec(x), spec(new))
    for inner in (new, holds):
        assert overlap(spec(inner), spec(shared)) and overlap(spec(inner), spec(result))
    assert spec(holds).lifetime[1] < spec(new).lifetime[1] < spec(shared).lifetime[1]
    # Placeholders are names for what is bound to them.
    bound = [node for part in (condition, body) for node in part.graph.nodes if node.op == "placeholder"]
    assert not {spec(node) for node in bound} & {owner for item in found.storages for owner in item.specs}


def test_values_of_one_round_may_share_memory_with_what_comes_after_the_loop():
    graph, _, _, _, body, result = while_loop(
        lambda body, x, y: relu(body, relu(body, x)), lambda graph: graph.input(4, name="y")
    )
    after = relu(graph, result)
    graph.output(after)
    timeline(graph)
    assert not overlap(spec(body.returned[0]), spec(after))


def test_a_loop_over_rows():
    graph, body = ExecutionGraph(), ExecutionGraph()
    rows, state = graph.input(3, 4), graph.input(4, name="s")
    carried, row = body.input(4), body.input(4)
    new = body.add(carried, row)
    body.output(new, row)
    specs = [TensorSpec(torch.float32, (4,)), TensorSpec(torch.float32, (3, 4))]
    last, stacked = graph.loop(torch.ops.higher_order.scan, specs, body, (state,), (rows,), ())
    graph.output(last, stacked)
    found = timeline(graph)
    # A row has a place of its own, into which it is copied in each round.
    (storage,) = [storage for storage in found.storages if storage.node is row]
    assert storage.role is Role.INTERMEDIATE and overlap(spec(row), spec(new))
    live = [spec(node) for node in (rows, last, stacked, row, new)]
    assert all(overlap(one, other) for one in live for other in live)


def test_unknown_control_flow_is_refused_with_a_way_out():
    graph = ExecutionGraph()
    x = graph.input(4)
    body = ExecutionGraph()
    body.output(relu(body, body.input(4)))
    target = torch.ops.higher_order.associative_scan
    (result,) = graph.loop(target, [TensorSpec(torch.float32, (4,))], body, (x,), ())
    graph.output(result)
    with pytest.raises(MemoryPlanningError, match=r"associative_scan.*Way out"):
        timeline(graph)


def test_update_all_tensors_lifetime_returns_the_owners_of_bytes():
    graph = ExecutionGraph()
    x = graph.input(4)
    flat = graph.view(x, 2, 2)
    graph.output(graph.call(ops.relu.out, flat, shape=(2, 2)))
    found = update_all_tensors_lifetime(graph.module(), graph.signature())
    assert spec(x) in found and spec(flat) not in found
    assert all(None not in item.lifetime for item in found)
