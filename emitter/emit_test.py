"""Emission of methods, delegates, control flow, and what tools want to know."""

import logging
from types import SimpleNamespace

import pytest
import torch

from executorch.dialects import meta_keys
from executorch.dialects.tensor_spec import TensorSpec
from executorch.emitter import EmissionError, emit_program, serialize_pte
from executorch.emitter.emission_for_tests import add_constants, calls, emit, value
from executorch.emitter.named_data import DataEntry
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema.program import (
    Bool,
    DelegateCall,
    Int,
    JumpFalseCall,
    MoveCall,
    Null,
    String,
    TensorList,
)

ops = torch.ops.aten


def test_methods_come_in_the_order_of_their_names():
    methods = {name: planned(add_constants(torch.ones(1)), MemoryPlanningPass().run) for name in ("b", "a")}
    output = emit_program(methods, prim_getters={"z": 1, "c": 2})
    assert [plan.name for plan in output.program.execution_plan] == ["a", "b", "z", "c"]


def test_a_name_for_two_methods_is_refused():
    program = planned(add_constants(torch.ones(1)), MemoryPlanningPass().run)
    with pytest.raises(EmissionError, match="forward"):
        emit_program({"forward": program}, prim_getters={"forward": 1})


def test_constant_methods():
    output = emit_program({}, prim_getters={"get": {"a": [1, "text"], "b": None}})
    (plan,) = output.program.execution_plan
    assert [value(plan, number) for number in plan.outputs] == [Int(1), String("text"), Null()]
    assert plan.inputs == [] and plan.non_const_buffer_sizes == [0] and calls(plan) == []
    assert '"builtins.dict"' in plan.container_meta_type.encoded_out_str
    with pytest.raises(EmissionError, match="constant method 'bad': a program cannot hold"):
        emit_program({}, prim_getters={"bad": object()})


def test_containers_are_described():
    _, plan = emit(add_constants(torch.ones(1)))
    expected = torch.utils._pytree.tree_structure(((0,), {}))
    assert torch.utils._pytree.treespec_loads(plan.container_meta_type.encoded_inp_str) == expected


def test_containers_that_torch_cannot_describe_cost_a_warning(caplog):
    class Box:
        def __init__(self, items):
            self.items = items

    torch.utils._pytree.register_pytree_node(Box, lambda box: (box.items, None), lambda items, _: Box(items))
    with caplog.at_level(logging.WARNING):
        output = emit_program({}, prim_getters={"get": Box([1])})
    assert output.program.execution_plan[0].container_meta_type.encoded_out_str == ""
    assert "container description" in caplog.text


def test_numbers_as_inputs_and_outputs():
    graph = ExecutionGraph()
    graph.scalar_input(3)
    graph.output(3, None)
    _, plan = emit(graph)
    assert value(plan, plan.inputs[0]) == Int(3)
    assert [value(plan, number) for number in plan.outputs] == [Int(3), Null()]
    # The caller may hand in another number; that must not change the constant.
    assert plan.outputs[0] != plan.inputs[0]


def test_a_method_without_a_plan_is_refused():
    with pytest.raises(EmissionError, match=r"'forward' has no memory plan.*MemoryPlanningPass"):
        emit_program({"forward": add_constants(torch.ones(1)).program()})


# Delegates.


def lowered(blob=b"blob", **options):
    fields = {
        "backend_id": "Backend",
        "processed_bytes": blob,
        "compile_specs": [],
        "named_data_store_output": None,
    }
    return SimpleNamespace(**{**fields, "meta": {}, **options})


def test_delegates():
    graph = ExecutionGraph()
    x = graph.input(4)
    option = SimpleNamespace(key="mode", value=b"fast")
    module = lowered(compile_specs=[option], meta={"debug_handle_map": {0: (1,)}})
    first, second = graph.delegate(module, x, shapes=[(2,), (3,)])
    graph.output(second, first)
    output, plan = emit(graph)
    assert calls(plan) == [DelegateCall(0, [plan.inputs[0], plan.outputs[1], plan.outputs[0]])]
    (delegate,) = plan.delegates
    assert delegate.id == "Backend" and delegate.compile_specs[0].key == "mode"
    assert delegate.compile_specs[0].value == b"fast"
    assert output.program.backend_delegate_data[delegate.processed.index].data == b"blob"
    assert output.method_to_delegate_debug_id_map == {
        "forward": {0: {"name": "Backend", "delegate_map": {0: (1,)}}}
    }
    assert output.instruction_id_to_num_outs_map == {"forward": {0: 2}}


def test_a_delegate_that_takes_a_list():
    graph = ExecutionGraph()
    first, second = graph.input(4), graph.input(4)
    graph.output(*graph.delegate(lowered(), [first, second], first, shapes=[(4,)]))
    _, plan = emit(graph)
    (call,) = calls(plan)
    assert plan.values[call.args[0]].val == TensorList([plan.inputs[0], plan.inputs[1]])
    assert call.args[1:] == [plan.inputs[0], *plan.outputs]


def test_a_delegate_with_one_bare_result():
    """As a call looks that no pass has brought into the usual form: no tuple, and users take it as it is."""
    graph = ExecutionGraph()
    x = graph.input(4)
    graph.delegate(lowered(), x, shapes=[(4,)])
    (call,) = [node for node in graph.graph.nodes if describe(node) == "executorch_call_delegate"]
    (call.meta[meta_keys.SPEC],) = call.meta[meta_keys.SPEC]
    for user in list(call.users):
        graph.graph.erase_node(user)
    _, plan = emit(graph.output(graph.add(call, x)))
    delegate, add = calls(plan)
    assert delegate == DelegateCall(0, [plan.inputs[0], add.args[0]]) and add.args[1] == plan.inputs[0]


def describe(node):
    return node.target.name() if hasattr(node.target, "name") and callable(node.target.name) else ""


def test_equal_blobs_are_stored_once():
    graph = ExecutionGraph()
    x = graph.input(4)
    same = lowered()
    for module in (same, same, lowered(), lowered(b"other")):
        (x,) = graph.delegate(module, x, shapes=[(4,)])
    output, plan = emit(graph.output(x))
    assert [call.delegate_index for call in calls(plan)] == [0, 0, 1, 2]
    assert [delegate.processed.index for delegate in plan.delegates] == [0, 0, 1]
    assert len(output.program.backend_delegate_data) == 2


def store(buffers, pte=None, external=None):
    return SimpleNamespace(buffers=buffers, pte_data=pte or {}, external_data=external or {})


def test_named_data_of_delegates():
    graph = ExecutionGraph()
    x = graph.input(4)
    data = [
        store([b"w"], {"w": DataEntry(0, 16)}),
        store([b"b", b"w"], {"w": DataEntry(1, 4)}, {"f": {"b": DataEntry(0)}}),
    ]
    for number, item in enumerate(data):
        (x,) = graph.delegate(lowered(bytes([number]), named_data_store_output=item), x, shapes=[(4,)])
    output, _ = emit(graph.output(x))
    assert output.named_data.buffers == [b"w"]
    assert output.named_data.named_data == {"w": DataEntry(0, 16)}
    assert output.external_data["f"].buffers == [b"b"]


def test_named_data_must_not_contradict():
    graph = ExecutionGraph()
    x = graph.input(4)
    for content in (b"1", b"2"):
        module = lowered(content, named_data_store_output=store([content], {"key": DataEntry(0)}))
        (x,) = graph.delegate(module, x, shapes=[(4,)])
    with pytest.raises(EmissionError, match=r"executorch_call_delegate.*'key'"):
        emit(graph.output(x))


# Control flow.


def test_a_condition_jumps_over_the_other_branch():
    def body(op):
        graph = ExecutionGraph()
        return graph.output(graph.call(op, graph.input(4), shape=(4,)))

    graph = ExecutionGraph()
    predicate, x = graph.input(dtype=torch.bool, name="p"), graph.input(4)
    (result,) = graph.cond(predicate, [body(ops.sin.out), body(ops.cos.out)], [x])
    graph.output(result)
    _, plan = emit(graph)
    to_false, sin, move_true, to_end, cos, move_false = calls(plan)
    assert to_false == JumpFalseCall(plan.inputs[0], 4)
    assert isinstance(to_end, JumpFalseCall) and to_end.destination_instruction == 6
    assert value(plan, to_end.cond_value_index) == Bool(False)
    assert sin.args[0] == cos.args[0] == plan.inputs[1]
    assert move_true == MoveCall(sin.args[-1], plan.outputs[0])
    assert move_false == MoveCall(cos.args[-1], plan.outputs[0])
    places = {
        value(plan, n).allocation_info.memory_offset for n in (sin.args[-1], cos.args[-1], plan.outputs[0])
    }
    assert len(places) == 1


# Debugging.


def test_debug_handles_and_source_lines():
    graph = ExecutionGraph()
    result = graph.call(ops.relu.out, graph.input(4), shape=(4,))
    result.meta[meta_keys.DEBUG_HANDLE] = 7
    result.meta[meta_keys.STACK_TRACE] = (
        'File "a.py", line 3, in forward\n    y = f(x)\nFile "b.py", line 4, in f\n'
    )
    graph.output(result)
    output, plan = emit(graph)
    assert output.debug_handle_map == {"forward": {0: 7}}
    assert plan.chains[0].stacktrace is None
    _, plan = emit(graph, emit_stacktrace=True)
    (frames,) = plan.chains[0].stacktrace
    assert [(frame.filename, frame.lineno, frame.name, frame.context) for frame in frames.items] == [
        ("a.py", 3, "forward", "y = f(x)"),
        ("b.py", 4, "f", ""),
    ]


def test_an_error_names_the_node_and_its_line():
    graph = ExecutionGraph()
    x = graph.input(4)
    node = graph.graph.call_function(ops.relu.default, (x,))
    node.meta[meta_keys.SPEC] = TensorSpec(torch.float32, (4,))
    node.meta[meta_keys.STACK_TRACE] = 'File "model.py", line 3, in forward\n    return x.relu()'
    graph.output(node)
    with pytest.raises(EmissionError, match=r"relu.*model\.py:3.*no out argument.*Way out"):
        emit(graph)


def test_emission_is_deterministic():
    def once():
        graph = ExecutionGraph()
        x, w = graph.input(4), graph.constant(torch.ones(4))
        graph.output(graph.add(graph.add(x, w), graph.view(x, 4)))
        return bytes(serialize_pte(emit(graph)[0]).pte)

    assert once() == once()
