"""Loops as instructions, and what an executor of a few lines makes of them."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import executorch.dialects.prim_ops  # noqa: F401 (registers the operators)
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.emitter import EmissionError
from executorch.emitter.emission_for_tests import calls, emit, operators, value
from executorch.memory_planning.testing import ExecutionGraph
from executorch.schema.program import JumpFalseCall, KernelCall, MoveCall

ops = torch.ops.aten
prims = torch.ops.executorch_prim
HIGHER_ORDER = torch.ops.higher_order


def names(plan):
    """Operators, and JUMP and MOVE, in order."""
    shown = operators(plan)
    words = {JumpFalseCall: "JUMP", MoveCall: "MOVE"}
    return [
        shown[call.op_index] if isinstance(call, KernelCall) else words[type(call)] for call in calls(plan)
    ]


def spec(*shape, dtype=torch.float32, grows=False):
    result = TensorSpec(dtype, shape)
    if grows:
        result.shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND
    return result


def counting_loop(graph, start, make, values):
    """`while i < 5: i, *values = i + 1, *make(i, *values)` on numbers and tensors."""
    condition, body = ExecutionGraph(), ExecutionGraph()
    for part in (condition, body):
        part.scalar_input(0, name="i")
        for node in values:
            part._placeholder(
                "v", TensorSpec(torch.float32, node.meta["spec"].shape), part.inputs[0].kind, None
            )
    i = next(iter(condition.graph.nodes))
    condition.output(condition.number(prims.lt.Scalar, i, 5, value=True))
    i, *inner = list(body.graph.nodes)
    body.output(body.number(prims.add.Scalar, i, 1), *make(body, i, *inner))
    specs = [0, *(spec(*node.meta["spec"].shape) for node in values)]
    return graph.loop(HIGHER_ORDER.while_loop, specs, condition, body, (start, *values), ())


def test_a_while_loop():
    graph = ExecutionGraph()
    x = graph.input(4)
    i, result = counting_loop(graph, 0, lambda body, i, x: [body.call(ops.sin.out, x, shape=(4,))], [x])
    graph.output(i, result)
    _, plan = emit(graph)
    less, jump, sin, add = (
        "executorch_prim::lt.Scalar",
        "JUMP",
        "aten::sin.out",
        "executorch_prim::add.Scalar",
    )
    assert names(plan)[:2] == ["MOVE", "aten::copy_."]
    assert sorted(names(plan)[2:]) == sorted([less, jump, sin, add, "MOVE", "aten::copy_.", jump])
    top = 2
    to_end, to_top = [call for call in calls(plan) if isinstance(call, JumpFalseCall)]
    assert names(plan)[top] == less and calls(plan)[top + 1] is to_end
    assert to_end.destination_instruction == len(calls(plan)) and to_top.destination_instruction == top
    # What is carried stands in the places of the results, where the bodies read it.
    number, tensor = plan.outputs
    assert calls(plan)[0].move_to == number and calls(plan)[1].args[0] == tensor == calls(plan)[1].args[-1]
    (sine,) = [call for call, name in zip(calls(plan), names(plan), strict=True) if name == sin]
    assert sine.args[0] == tensor != sine.args[-1]


def test_numbers_that_change_places_are_put_aside():
    graph = ExecutionGraph()
    condition, body = ExecutionGraph(), ExecutionGraph()
    for part in (condition, body):
        part.scalar_input(0, "i"), part.scalar_input(0, "j")
    i, j = list(condition.graph.nodes)
    condition.output(condition.number(prims.lt.Scalar, i, j, value=True))
    i, j = list(body.graph.nodes)
    body.output(j, i)
    graph.output(*graph.loop(HIGHER_ORDER.while_loop, [0, 0], condition, body, (1, 2), ()))
    _, plan = emit(graph)
    first, second = plan.outputs
    moves = [(call.move_from, call.move_to) for call in calls(plan) if isinstance(call, MoveCall)]
    aside = moves[2][1]
    assert moves[2:] == [(first, aside), (second, first), (aside, second)]


def rows_loop(graph, rows, state, grows=True):
    body = ExecutionGraph()
    carried, row = body.input(4), body.input(4)
    new = body.add(carried, row)
    body.output(new, body.call(ops.cos.out, carried, shape=(4,)))
    specs = [spec(4), spec(3, 4, grows=grows)]
    return graph.loop(HIGHER_ORDER.scan, specs, body, (state,), (rows,), ())


def test_a_scan():
    graph = ExecutionGraph()
    rows, state = graph.input(3, 4), graph.input(4, name="s")
    graph.output(*rows_loop(graph, rows, state))
    _, plan = emit(graph)
    assert names(plan) == [
        "aten::copy_.",
        "aten::sym_size.int",
        "MOVE",
        "aten::select_copy.int_out",
        "aten::add.out",
        "aten::cos.out",
        "executorch_prim::et_copy_index.tensor",
        "aten::copy_.",
        "executorch_prim::add.Scalar",
        "executorch_prim::eq.Scalar",
        "JUMP",
    ]
    last, stacked = plan.outputs
    assert value(plan, stacked).shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND
    count = calls(plan)[2].move_to
    assert calls(plan)[3].args[:3] == [plan.inputs[0], calls(plan)[1].args[1], count]
    assert calls(plan)[6].args == [stacked, calls(plan)[5].args[-1], count]
    assert calls(plan)[10].destination_instruction == 3
    assert calls(plan)[4].args[0] == last == calls(plan)[7].args[0]


def test_a_carried_value_that_varies_is_copied_with_its_size():
    graph = ExecutionGraph()
    x = graph.input(4)
    i, result = counting_loop(graph, 0, lambda body, i, x: [body.call(ops.sin.out, x, shape=(4,))], [x])
    next(iter(i.all_input_nodes)).meta["spec"][1].shape_dynamism = TensorShapeDynamism.DYNAMIC_BOUND
    graph.output(result)
    _, plan = emit(graph)
    assert names(plan).count("aten::clone.out") == 2 and "aten::copy_." not in names(plan)


def test_a_loop_over_nothing_is_refused():
    graph, body = ExecutionGraph(), ExecutionGraph()
    x = graph.input(4)
    body.output(body.call(ops.sin.out, body.input(4), shape=(4,)))
    graph.output(*graph.loop(HIGHER_ORDER.map_impl, [spec(3, 4, grows=True)], body, (), (x,)))
    with pytest.raises(EmissionError, match=r"map_impl.*no sequence"):
        emit(graph)


def test_a_tensor_that_would_be_overwritten_before_its_turn_is_refused():
    graph = ExecutionGraph()
    x, y = graph.input(4), graph.input(4, name="y")
    graph.output(*counting_loop(graph, 0, lambda body, i, x, y: [y, x], [x, y]))
    with pytest.raises(EmissionError, match=r"LoopResultsPass"):
        emit(graph)


def test_other_control_flow_is_refused():
    graph, body = ExecutionGraph(), ExecutionGraph()
    body.output(body.call(ops.sin.out, body.input(4), shape=(4,)))
    node = graph.input(4)
    results = graph.loop(HIGHER_ORDER.associative_scan, [spec(4)], body, (node,), ())
    graph.output(*results)
    with pytest.raises(Exception, match=r"associative_scan.*cond, map_impl, scan, while_loop"):
        emit(graph)


class _Machine:
    """Executes what the loops of numbers below need."""

    def __init__(self, plan):
        self.plan = plan
        self.values = [
            getattr(item.val, "int_val", getattr(item.val, "bool_val", None)) for item in plan.values
        ]

    def run(self):
        at = steps = 0
        code, shown = calls(self.plan), names(self.plan)
        while at < len(code):
            call, name = code[at], shown[at]
            steps += 1
            assert steps < 10_000
            at += 1
            if name == "MOVE":
                self.values[call.move_to] = self.values[call.move_from]
            elif name == "JUMP":
                at = at if self.values[call.cond_value_index] else call.destination_instruction
            else:
                left, right, result = call.args
                one, other = self.values[left], self.values[right]
                self.values[result] = {"add": one + other, "lt": one < other, "mul": one * other}[
                    name.removeprefix("executorch_prim::").removesuffix(".Scalar")
                ]
        return [self.values[number] for number in self.plan.outputs]


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 6),
    st.lists(st.integers(-5, 5), min_size=2, max_size=4),
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=4),
)
def test_numbers_carried_in_any_order(limit, start, picks):
    """Each round hands on sums of, or the very values of, arbitrary values of the round before."""
    count = min(len(start), len(picks))
    start, picks = start[:count], [(pick % count, plus) for pick, plus in picks[:count]]

    def body_of(part):
        numbers = [part.scalar_input(0, name=f"n{index}") for index in range(count + 1)]
        return numbers[0], numbers[1:]

    graph, condition, body = ExecutionGraph(), ExecutionGraph(), ExecutionGraph()
    i, _ = body_of(condition)
    condition.output(condition.number(prims.lt.Scalar, i, limit, value=True))
    i, inner = body_of(body)
    new = [body.number(prims.add.Scalar, inner[p], i) if plus else inner[p] for p, plus in picks]
    body.output(body.number(prims.add.Scalar, i, 1), *new)
    results = graph.loop(HIGHER_ORDER.while_loop, [0] * (count + 1), condition, body, (0, *start), ())
    graph.output(*results)
    _, plan = emit(graph)
    expected, number = list(start), 0
    while number < limit:
        expected = [expected[p] + number if plus else expected[p] for p, plus in picks]
        number += 1
    machine = _Machine(plan)
    assert machine.run() == [number, *expected]
    # The second call starts from the beginning, although values last from call to call.
    assert machine.run() == [number, *expected]
