"""Emission: what each kind of node becomes."""

import logging
import math
import operator
from types import SimpleNamespace

import pytest
import torch

from executorch.dialects import memory, meta_keys
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.emitter import EmissionError, emit_program, serialize_pte
from executorch.emitter.named_data import DataEntry
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema.program import (
    AllocationDetails,
    Bool,
    DelegateCall,
    Double,
    DoubleList,
    FreeCall,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Null,
    OptionalTensorList,
    String,
    Tensor,
    TensorDataLocation,
    TensorList,
)
from executorch.schema.scalar_type import ScalarType

ops = torch.ops.aten


def emit(graph, planner=None, **options):
    """(output, plan) of a graph as `forward`."""
    program = planned(graph, (planner or MemoryPlanningPass()).run)
    output = emit_program({"forward": program}, **options)
    return output, output.program.execution_plan[0]


def calls(plan):
    return [instruction.instr_args for instruction in plan.chains[0].instructions]


def operators(plan):
    return [f"{op.name}.{op.overload}" for op in plan.operators]


def value(plan, number):
    return plan.values[number].val


def arguments(plan, call=0):
    """The values that a kernel call receives."""
    return [value(plan, number) for number in calls(plan)[call].args]


# Operators.


def test_a_kernel_call_has_all_arguments_and_the_result_again():
    graph = ExecutionGraph()
    x, y = graph.input(2, 3), graph.input(2, 3, name="y")
    graph.output(graph.add(x, y))
    _, plan = emit(graph)
    assert operators(plan) == ["aten::add.out"]
    (call,) = calls(plan)
    assert isinstance(call, KernelCall)
    first, second, alpha, out, result = call.args
    assert plan.inputs == [first, second] and plan.outputs == [out] and result == out
    assert value(plan, alpha) == Int(1)
    assert value(plan, out) == Tensor(
        scalar_type=ScalarType.FLOAT,
        sizes=[2, 3],
        dim_order=[0, 1],
        allocation_info=AllocationDetails(1, value(plan, out).allocation_info.memory_offset),
    )
    assert plan.non_const_buffer_sizes == [0, 96]


def test_several_results_are_a_list_behind_the_arguments():
    graph = ExecutionGraph()
    specs = [TensorSpec(torch.float32, (3,)), TensorSpec(torch.int64, (3,))]
    values, indices = graph.call_with(ops.topk.values, specs, graph.input(8), 3)
    graph.output(indices, values)
    _, plan = emit(graph)
    *_, first, second, results = calls(plan)[0].args
    assert value(plan, results) == TensorList([first, second])
    assert plan.outputs == [second, first]
    assert value(plan, second).scalar_type == ScalarType.LONG


def test_a_list_of_results():
    graph = ExecutionGraph()
    x = graph.input(4)
    specs = [TensorSpec(torch.float32, (2,)) for _ in range(2)]
    outs = []
    for spec in specs:
        node = graph.graph.call_function(memory.alloc, (((2,), torch.float32),))
        node.meta[meta_keys.SPEC] = spec
        outs.append(node)
    node = graph.graph.call_function(ops.split_copy.Tensor_out, (x, 2), {"out": outs})
    node.meta[meta_keys.SPEC] = tuple(specs)
    graph.output(*graph._items(node, specs))
    _, plan = emit(graph)
    *_, out, result = calls(plan)[0].args
    assert out == result and value(plan, out) == TensorList(plan.outputs)


def test_an_operator_is_listed_once():
    graph = ExecutionGraph()
    x = graph.input(4)
    graph.output(graph.add(graph.add(x, x), x))
    _, plan = emit(graph)
    assert operators(plan) == ["aten::add.out"]
    assert [call.op_index for call in calls(plan)] == [0, 0]


def test_arguments_take_the_type_of_the_schema():
    graph = ExecutionGraph()
    x = graph.input(1, 1, 4, 4)
    weight = graph.constant(torch.ones(1, 1, 3, 3))
    result = graph.call(
        ops.convolution.out, x, weight, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1, shape=(1, 1, 2, 2)
    )
    graph.output(graph.call(ops.leaky_relu.out, result, 1, shape=(1, 1, 2, 2)))
    _, plan = emit(graph)
    _, _, bias, stride, padding, dilation, transposed, output_padding, groups, *_ = arguments(plan)
    assert bias == Null() and transposed == Bool(False) and groups == Int(1)
    assert isinstance(stride, IntList)
    assert [value(plan, item) for item in stride.items] == [Int(1), Int(1)]
    assert [value(plan, item) for item in padding.items] == [Int(0), Int(0)]
    # Equal constants are one value.
    args = calls(plan)[0].args
    assert args[3] == args[5] and args[4] == args[7]
    assert (dilation, output_padding) == (stride, padding)
    # A number for a "Scalar" keeps its own type.
    assert arguments(plan, 1)[1] == Int(1)


def test_an_integer_for_a_float_becomes_a_double():
    graph = ExecutionGraph()
    x = graph.input(1, 1, 2, 2)
    graph.output(graph.call(ops.upsample_nearest2d.vec_out, x, None, [2.0, 2], shape=(1, 1, 4, 4)))
    _, plan = emit(graph)
    assert arguments(plan)[1] == Null()
    assert arguments(plan)[2] == DoubleList([2.0, 2.0])


def test_lists_of_optional_tensors():
    graph = ExecutionGraph()
    x, index = graph.input(4, 4), graph.input(2, dtype=torch.int64, name="i")
    graph.output(graph.call(ops.index.Tensor_out, x, [None, index], shape=(4, 2)))
    _, plan = emit(graph)
    assert arguments(plan)[1] == OptionalTensorList([-1, plan.inputs[1]])


def test_texts_truth_values_and_element_types():
    graph = ExecutionGraph()
    x = graph.input(4)
    first = graph.call(ops.gelu.out, x, shape=(4,), approximate="tanh")
    second = graph.call(ops.cumsum.out, first, 0, shape=(4,), dtype=torch.float64)
    graph.output(second)
    graph.graph.find_nodes(op="call_function", target=ops.cumsum.out)[0].kwargs = {
        **graph.graph.find_nodes(op="call_function", target=ops.cumsum.out)[0].kwargs,
        "dtype": torch.float64,
    }
    _, plan = emit(graph)
    assert arguments(plan)[1] == String("tanh")
    assert arguments(plan, 1)[2] == Int(int(ScalarType.DOUBLE))


def test_equal_numbers_of_different_types_stay_apart():
    output = emit_program({}, prim_getters={"get": [1, True, 1.0, 0.0, -0.0, math.nan, math.nan]})
    (plan,) = output.program.execution_plan
    assert len(plan.values) == 6
    assert [type(value(plan, number)) for number in plan.outputs[:3]] == [Int, Bool, Double]
    assert math.copysign(1, value(plan, plan.outputs[4]).double_val) == -1
    assert plan.outputs[5] == plan.outputs[6]


def test_in_place_operators_return_what_they_write():
    graph = ExecutionGraph()
    buffer, x = graph.buffer(torch.ones(4)), graph.input(4)
    graph.write_back(buffer, x)
    graph.output(x)
    _, plan = emit(graph)
    assert operators(plan) == ["aten::copy_."]
    target, source, non_blocking, result = calls(plan)[0].args
    assert result == target and source == plan.inputs[0] and value(plan, non_blocking) == Bool(False)
    assert plan.inputs == plan.outputs == [source]


def test_primitive_operators_write_a_number():
    graph = ExecutionGraph()
    x = graph.input(2, 6, bounded=True)
    size = graph.number(ops.sym_size.int, x, 0, value=2)
    twice = graph.number(operator.mul, size, 2, value=4)
    graph.output(twice)
    _, plan = emit(graph)
    assert operators(plan) == ["aten::sym_size.int", "executorch_prim::mul.Scalar"]
    tensor, dim, result = calls(plan)[0].args
    assert tensor == plan.inputs[0] and value(plan, dim) == Int(0)
    assert calls(plan)[1].args[0] == result and calls(plan)[1].args[-1] == plan.outputs[0]
    assert value(plan, tensor).shape_dynamism == TensorShapeDynamism.DYNAMIC_BOUND
    # A computed number never shares its place with a constant.
    assert result not in calls(plan)[1].args[1:]


# Views, memory.


def test_a_view_with_a_fixed_place_needs_no_instruction():
    graph = ExecutionGraph()
    x = graph.input(2, 3)
    base = graph.call(ops.relu.out, x, shape=(2, 3))
    graph.output(graph.call(ops.relu.out, graph.view(base, 6), shape=(6,)))
    _, plan = emit(graph)
    assert operators(plan) == ["aten::relu.out"]
    base_value, view_value = value(plan, calls(plan)[0].args[-1]), value(plan, calls(plan)[1].args[0])
    assert view_value.sizes == [6]
    assert view_value.allocation_info == base_value.allocation_info


@pytest.mark.parametrize("bounded", [False, True])
def test_other_views_are_made_when_the_program_runs(bounded):
    graph = ExecutionGraph()
    x = graph.input(2, 3, bounded=bounded)
    graph.output(graph.call(ops.relu.out, graph.view(x, 6), shape=(6,)))
    _, plan = emit(graph, MemoryPlanningPass(alloc_graph_input=bounded))
    assert operators(plan)[0] == "executorch_prim::et_view.default"
    base, sizes, result = calls(plan)[0].args
    assert base == plan.inputs[0] and isinstance(value(plan, sizes), IntList)
    assert calls(plan)[1].args[0] == result
    expected = TensorShapeDynamism.DYNAMIC_BOUND if bounded else TensorShapeDynamism.STATIC
    assert value(plan, result).shape_dynamism == expected


def test_a_view_of_a_constant_is_a_constant():
    graph = ExecutionGraph()
    weight, x = graph.constant(torch.arange(6.0).reshape(2, 3)), graph.input(6)
    graph.output(graph.add(x, graph.view(weight, 6)))
    output, plan = emit(graph)
    assert operators(plan) == ["aten::add.out"]
    assert value(plan, calls(plan)[0].args[1]).data_buffer_idx == 1
    assert len(output.program.constant_buffer) == 2


def test_what_the_caller_supplies_has_no_place():
    graph = ExecutionGraph()
    graph.output(graph.call(ops.relu.out, graph.input(4), shape=(4,)))
    _, plan = emit(graph, MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    for number in (*plan.inputs, *plan.outputs):
        assert value(plan, number).allocation_info is None and value(plan, number).data_buffer_idx == 0
    assert plan.non_const_buffer_sizes == [0]


def test_values_without_bound_are_freed():
    graph = ExecutionGraph()
    result = graph.call(ops.relu.out, graph.input(4), shape=(4,))
    result.meta[meta_keys.SPEC].shape_dynamism = TensorShapeDynamism.DYNAMIC_UNBOUND
    graph.graph.call_function(memory.free, (result,))
    graph.output(3)
    _, plan = emit(graph)
    assert calls(plan)[1] == FreeCall(calls(plan)[0].args[-1])
    assert value(plan, calls(plan)[0].args[-1]).allocation_info is None


def test_offsets_beyond_four_gigabytes():
    graph = ExecutionGraph()
    graph.output(graph.call(ops.relu.out, graph.input(4), shape=(4,)))
    program = planned(graph, MemoryPlanningPass().run)
    node = graph.graph.find_nodes(op="placeholder")[0]
    node.meta[meta_keys.SPEC].mem_offset = 5 * 2**32 + 16
    plan = emit_program({"forward": program}).program.execution_plan[0]
    assert value(plan, plan.inputs[0]).allocation_info == AllocationDetails(1, 16, 5)


# Constants and buffers.


def add_constants(*tensors):
    graph = ExecutionGraph()
    result = graph.input(*tensors[0].shape)
    for number, tensor in enumerate(tensors):
        result = graph.add(result, graph.constant(tensor, name=f"w{number}"))
    return graph.output(result)


def test_equal_constants_are_stored_once_also_across_methods():
    ones, twos = torch.ones(4), torch.full((4,), 2.0)
    planner = MemoryPlanningPass()
    methods = {
        "one": planned(add_constants(ones, twos, ones.clone()), planner.run),
        "two": planned(add_constants(twos.clone()), planner.run),
    }
    program = emit_program(methods, prim_getters={"get": ones.clone()}).program
    assert [bytes(buffer.storage) for buffer in program.constant_buffer] == [
        b"",
        ones.numpy().tobytes(),
        twos.numpy().tobytes(),
    ]
    assert value(program.execution_plan[2], 0).data_buffer_idx == 1


def test_constants_are_stored_in_memory_order():
    data = torch.arange(16.0).reshape(1, 2, 2, 4).to(memory_format=torch.channels_last)
    output, plan = emit(add_constants(data))
    tensor = value(plan, calls(plan)[0].args[1])
    assert tensor.dim_order == [0, 2, 3, 1] and tensor.sizes == [1, 2, 2, 4]
    stored = torch.frombuffer(bytearray(output.program.constant_buffer[1].storage), dtype=torch.float32)
    assert torch.equal(stored, data.permute(0, 2, 3, 1).reshape(-1))


def test_constants_are_not_copied():
    data = torch.zeros(1000)
    output, _ = emit(add_constants(data))
    data[0] = 1
    assert bytes(output.program.constant_buffer[1].storage) == data.numpy().tobytes()


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool,
        torch.uint8,
        torch.int16,
        torch.float16,
        torch.bfloat16,
        torch.float64,
        torch.float8_e4m3fn,
        torch.uint32,
    ],
)
def test_constants_of_all_types(dtype):
    data = torch.tensor([0, 1, 3], dtype=torch.float32).to(dtype)
    output = emit_program({}, prim_getters={"get": data})
    stored = output.program.constant_buffer[1].storage
    assert torch.equal(
        torch.frombuffer(bytearray(stored), dtype=dtype).view(torch.uint8), data.view(torch.uint8)
    )


def test_types_that_files_lack_are_named():
    with pytest.raises(EmissionError, match=r"torch\.complex64"):
        emit_program({}, prim_getters={"get": torch.zeros(1, dtype=torch.complex64)})


def test_empty_constants_and_numbers_as_tensors():
    output = emit_program({}, prim_getters={"get": [torch.zeros(0, 3), torch.tensor(2.0)]})
    (plan,) = output.program.execution_plan
    assert value(plan, 0).sizes == [0, 3] and value(plan, 0).data_buffer_idx > 0
    assert value(plan, 1).sizes == [] and value(plan, 1).dim_order == []
    serialize_pte(output)


def test_weights_without_data_are_refused():
    graph = ExecutionGraph()
    weight = graph.constant(torch.zeros(4, device="meta"), name="fc.weight")
    graph.output(graph.add(graph.input(4), weight))
    with pytest.raises(EmissionError, match=r"has no data.*Way out"):
        emit(graph)


def test_external_constants():
    graph = ExecutionGraph()
    inside = graph.constant(torch.ones(4), name="inside")
    outside = graph.constant(torch.ones(4), name="fc.bias", external="weights")
    other = graph.constant(torch.zeros(4), name="fc.other", external="weights")
    graph.output(graph.add(graph.add(graph.add(graph.input(4), inside), outside), other))
    output, plan = emit(graph)
    tensor = value(plan, calls(plan)[1].args[1])
    assert tensor.extra_tensor_info.location == TensorDataLocation.EXTERNAL
    assert tensor.extra_tensor_info.fully_qualified_name == "fc.bias"
    assert tensor.data_buffer_idx == 0 and tensor.allocation_info is None
    assert output.external_constant_map == {"weights": {"fc.bias": 0, "fc.other": 1}}
    assert [bytes(buffer) for buffer in output.external_constant_buffer] == [
        torch.ones(4).numpy().tobytes(),
        bytes(16),
    ]
    layout = output.external_data["weights"].named_data["fc.bias"].tensor_layout
    assert (layout.scalar_type, layout.sizes, layout.dim_order) == (ScalarType.FLOAT, [4], [0])
    assert list(serialize_pte(output).ptd) == ["weights"]
    assert len(output.program.constant_buffer) == 2


def test_mutable_buffers_with_and_without_a_state():
    graph = ExecutionGraph()
    known, unknown = (
        graph.buffer(torch.ones(4), name="a"),
        graph.buffer(torch.ones(4), name="b", has_state=False),
    )
    x = graph.input(4)
    graph.write_back(known, graph.add(known, x))
    graph.write_back(unknown, graph.add(unknown, x))
    graph.output(x)
    output, plan = emit(graph)
    first, second = value(plan, calls(plan)[0].args[0]), value(plan, calls(plan)[2].args[0])
    assert first.data_buffer_idx == 1 and first.allocation_info is not None
    assert first.extra_tensor_info.fully_qualified_name == "a"
    assert (
        second.data_buffer_idx == 0
        and second.allocation_info is not None
        and second.extra_tensor_info is None
    )
    assert [bytes(buffer.storage) for buffer in output.mutable_data] == [b"", torch.ones(4).numpy().tobytes()]


def test_equal_states_are_stored_once_also_across_methods():
    def method(name="cache"):
        graph = ExecutionGraph()
        buffer, x = graph.buffer(torch.ones(4), name=name), graph.input(4)
        graph.write_back(buffer, graph.add(buffer, x))
        return planned(graph.output(x), MemoryPlanningPass().run)

    output = emit_program({"one": method(), "two": method(), "three": method("other")})
    assert len(output.mutable_data) == 2


# Methods.


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
