"""Delegates that run on a device: copies, memories, and what the program says of them."""

import pytest
import torch

from executorch.dialects.tensor_spec import DeviceType, TensorSpec, ViewSpec
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.capture._config import PropagateDeviceConfig
from executorch.memory_planning import MemoryPlanningPass
from executorch.partitioner import (
    BackendDetails,
    CompileSpec,
    DelegationSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
)
from executorch.passes.to_execution.propagate_device_pass import parse_device
from executorch.schema import program as schema

INPUTS = (torch.ones(2, 2), torch.ones(2, 2))
H2D, D2H = "et_copy::_h2d_copy", "et_copy::_d2h_copy"


class SomewhereDemo(BackendDetails):
    """Runs nowhere."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(b"blob")


class Take(Partitioner):
    """Every node with one of the names, as a delegate of its own."""

    def __init__(self, device, *names):
        specs = [] if device is None else [CompileSpec("target_device", device)]
        self.how, self.names = DelegationSpec("SomewhereDemo", specs), names

    def partition(self, exported_program):
        tags = {}
        for node in exported_program.graph.nodes:
            if node.op == "call_function" and any(name in node.name for name in self.names):
                node.meta["delegation_tag"] = tag = f"tag{len(tags)}"
                tags[tag] = self.how
        return PartitionResult(exported_program, tags)


class Chain(torch.nn.Module):
    def forward(self, x, y):
        first = x + x
        second = first * 2.0
        return second + y, second


def lower(device, *names, model=None, **config):
    edge = to_edge_transform_and_lower(
        torch.export.export(model or Chain(), INPUTS), partitioner=[Take(device, *names)]
    )
    config = {"warn_missing_kernels": False, **config}
    return edge.to_executorch(ExecutorchBackendConfig(**config)).executorch_program


def copies(program):
    plan = program.execution_plan[0]
    calls = (item.instr_args for item in plan.chains[0].instructions)
    names = [plan.operators[call.op_index].name for call in calls if isinstance(call, schema.KernelCall)]
    return names.count(H2D), names.count(D2H)


def devices(program):
    """Memory number -> device of the tensors in it."""
    found = {}
    for value in program.execution_plan[0].values:
        if isinstance(value.val, schema.Tensor) and value.val.allocation_info is not None:
            info = value.val.extra_tensor_info
            place = ("CPU", 0) if info is None else (info.device_type.name, info.device_index)
            found.setdefault(value.val.allocation_info.memory_id, set()).add(place)
    return found


def test_values_are_copied_where_they_enter_and_leave_a_device():
    program = lower(b"cuda:1", "add")
    assert copies(program) == (3, 2)
    assert devices(program) == {1: {("CPU", 0)}, 2: {("CUDA", 1)}}
    plan = program.execution_plan[0]
    assert plan.non_const_buffer_device == [schema.NonConstBufferDevice(2, schema.DeviceType.CUDA, 1)]
    assert plan.non_const_buffer_sizes[0] == 0 and plan.non_const_buffer_sizes[2] >= 32
    read = schema.read_program(b"".join(schema.write_program(program, schema.FORCE_ALIGN).chunks()))
    assert read.execution_plan[0].non_const_buffer_device == plan.non_const_buffer_device
    assert devices(read) == devices(program)


def test_what_goes_from_delegate_to_delegate_stays_on_the_device():
    # The two inputs enter, the two results leave; `first` and `second` go on where they are.
    assert copies(lower(b"cuda", "add", "mul")) == (3, 2)


@pytest.mark.parametrize("device", [None, b"cpu"])
def test_delegates_on_the_host_need_no_copies(device):
    program = lower(device, "add")
    assert copies(program) == (0, 0)
    assert devices(program) == {1: {("CPU", 0)}} and program.execution_plan[0].non_const_buffer_device is None


def test_without_planned_devices_values_only_say_where_they_are_expected():
    program = lower(b"cuda", "add", enable_non_cpu_memory_planning=False)
    assert copies(program) == (0, 0) and devices(program) == {1: {("CUDA", 0)}}
    assert program.execution_plan[0].non_const_buffer_device is None


@pytest.mark.parametrize("by_method", [False, True])
def test_the_caller_may_make_the_copies_at_the_border(by_method):
    skip = {"forward": True} if by_method else True
    config = PropagateDeviceConfig(skip_h2d_for_method_inputs=skip, skip_d2h_for_method_outputs=skip)
    program = lower(b"cuda", "add", propagate_device_config=config)
    assert copies(program) == (1, 1)
    plan = program.execution_plan[0]
    border = [plan.values[number].val for number in (*plan.inputs, *plan.outputs)]
    where = [value.extra_tensor_info is not None for value in border]
    assert where == [True, True, True, False]
    other = {"other": config}
    assert copies(lower(b"cuda", "add", propagate_device_config=other)) == (3, 2)


def test_an_input_that_the_host_reads_too_cannot_be_on_the_device():
    class Both(torch.nn.Module):
        def forward(self, x, y):
            return x + y, x * 2.0

    config = PropagateDeviceConfig(skip_h2d_for_method_inputs=True)
    with pytest.raises(RuntimeError, match="input 'x' would be in the memory of a device, but has 2 users"):
        lower(b"cuda", "add", model=Both(), propagate_device_config=config)


def test_device_memory_keeps_clear_of_shared_buffers():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(2, 2))

        def forward(self, x, y):
            self.count.mul_(2.0)
            return x + y + self.count

    planner = MemoryPlanningPass(share_mutable_buffers=True)
    program = lower(b"cuda", "add", model=Counter(), memory_planning_pass=planner)
    assert devices(program) == {1: {("CPU", 0)}, 2: {("CPU", 0)}, 3: {("CUDA", 0)}}
    assert [item.buffer_idx for item in program.execution_plan[0].non_const_buffer_device] == [3]


def test_the_words_for_a_device():
    assert parse_device(b"cuda") == (DeviceType.CUDA, 0) and parse_device(b"CUDA:3") == (DeviceType.CUDA, 3)
    with pytest.raises(
        ValueError, match=r"Unknown device type 'tpu' in target_device\. Valid types: CPU, CUDA"
    ):
        parse_device(b"tpu:1")
    with pytest.raises(ValueError, match="must be a number"):
        parse_device(b"cuda:x")


def test_specs_on_a_device():
    constant = TensorSpec.from_tensor(torch.ones(2, 3), const=True)
    there = constant.on_device(DeviceType.CUDA, 2)
    assert "device=CUDA:2" in repr(there) and "device=CPU:0" in repr(constant) and "CUDA:2" in there.debug()
    assert (there.const, there.data, there.shape, there.dim_order) == (False, None, [2, 3], (0, 1))
    assert ViewSpec(there, [6]).device_index == 2 and there.device == DeviceType.CUDA
    assert constant.device == DeviceType.CPU


def test_the_copies_are_copies():
    source = torch.rand(3)
    for copy in (torch.ops.et_copy._h2d_copy, torch.ops.et_copy._d2h_copy):
        made, out = copy(source), torch.empty(0)
        assert torch.equal(made, source) and made.data_ptr() != source.data_ptr()
        assert torch.equal(copy.out(source, out=out), source)
