"""Emission of constants and mutable buffers."""

import pytest
import torch

from executorch.dialects.errors import InternalError
from executorch.emitter import EmissionError, emit_program, serialize_pte
from executorch.emitter.emission_for_tests import add_constants, calls, emit, value
from executorch.memory_planning import MemoryPlanningPass
from executorch.memory_planning.testing import ExecutionGraph, planned
from executorch.schema.program import (
    TensorDataLocation,
)
from executorch.schema.scalar_type import ScalarType

ops = torch.ops.aten


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
        torch.complex64,
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
    with pytest.raises(EmissionError, match=r"torch\.bits8"):
        emit_program({}, prim_getters={"get": torch.empty(1, dtype=torch.bits8)})


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
    assert second.data_buffer_idx == 0 and second.allocation_info is not None
    assert second.extra_tensor_info.fully_qualified_name == "b"
    assert [bytes(buffer.storage) for buffer in output.mutable_data] == [b"", torch.ones(4).numpy().tobytes()]


def test_mutable_buffers_without_memory_need_names():
    def method():
        graph = ExecutionGraph()
        buffer, x = graph.buffer(torch.ones(4), name="cache"), graph.input(4)
        graph.write_back(buffer, graph.add(buffer, x))
        graph.output(x)
        return graph

    planner = MemoryPlanningPass(alloc_mutable_buffers=False)
    with pytest.raises(InternalError, match="buffer 'cache', for which no memory is planned") as caught:
        emit(method(), planner)
    assert isinstance(caught.value, EmissionError)
    output, plan = emit(method(), planner, emit_mutable_buffer_names=True)
    buffer = value(plan, calls(plan)[0].args[0])
    assert buffer.extra_tensor_info.fully_qualified_name == "cache"
    assert buffer.extra_tensor_info.location == TensorDataLocation.SEGMENT
    assert buffer.allocation_info is None and buffer.data_buffer_idx == 0 and output.mutable_data is None


def test_equal_states_are_stored_once_also_across_methods():
    def method(name="cache"):
        graph = ExecutionGraph()
        buffer, x = graph.buffer(torch.ones(4), name=name), graph.input(4)
        graph.write_back(buffer, graph.add(buffer, x))
        return planned(graph.output(x), MemoryPlanningPass().run)

    output = emit_program({"one": method(), "two": method(), "three": method("other")})
    assert len(output.mutable_data) == 2
