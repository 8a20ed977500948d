"""Emission of operators, their arguments, and views."""

import math
import operator

import pytest
import torch

from executorch.dialects import memory, meta_keys
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.emitter import emit_program
from executorch.emitter.emission_for_tests import arguments, calls, emit, operators, value
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema.program import (
    AllocationDetails,
    Bool,
    Double,
    DoubleList,
    FreeCall,
    Int,
    IntList,
    KernelCall,
    Null,
    OptionalTensorList,
    String,
    Tensor,
    TensorList,
)
from executorch.schema.scalar_type import ScalarType

ops = torch.ops.aten


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
    assert not any(plan.non_const_buffer_sizes)


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
