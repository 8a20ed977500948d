"""One program that uses every table of the schema; run as a program, it writes it to a file."""

import pathlib
import sys

from executorch.schema import program
from executorch.schema.scalar_type import ScalarType


def example() -> program.Program:
    """A program that uses every table."""
    tensor = program.Tensor(
        scalar_type=ScalarType.HALF,
        sizes=[2, 3],
        dim_order=[1, 0],
        requires_grad=True,
        data_buffer_idx=4,
        allocation_info=program.AllocationDetails(1, 0xFFFFFFF0, 3),
        shape_dynamism=program.TensorShapeDynamism.DYNAMIC_BOUND,
        extra_tensor_info=program.ExtraTensorInfo(5, "layer.weight", program.TensorDataLocation.EXTERNAL),
    )
    values = [
        program.Null(),
        program.Int(-(2**63)),
        program.Bool(True),
        program.Double(-0.0),
        tensor,
        program.String("text"),
        program.IntList([1, -1]),
        program.DoubleList([0.5]),
        program.BoolList([True, False]),
        program.TensorList([4]),
        program.OptionalTensorList([4, -1]),
    ]
    calls = [
        program.KernelCall(0, [1, 2]),
        program.DelegateCall(0, [4]),
        program.MoveCall(1, 2),
        program.JumpFalseCall(2, 5),
        program.FreeCall(4),
    ]
    chain = program.Chain(
        inputs=[1],
        instructions=[program.Instruction(call) for call in calls],
        stacktrace=[program.FrameList([program.Frame("model.py", 12, "forward", "return x")])],
    )
    place = program.BackendDelegateDataReference(program.DataLocation.SEGMENT, 1)
    plan = program.ExecutionPlan(
        name="forward",
        container_meta_type=program.ContainerMetadata("in", "out"),
        values=[program.EValue(value) for value in values],
        inputs=[4],
        outputs=[4, 1],
        chains=[chain],
        operators=[program.Operator("aten::add", "out")],
        delegates=[program.BackendDelegate("Backend", place, [program.CompileSpec("key", b"\x00\xff")])],
        non_const_buffer_sizes=[0, 2**40],
        non_const_buffer_device=[program.NonConstBufferDevice(1, program.DeviceType.CUDA, -1)],
    )
    return program.Program(
        version=0,
        execution_plan=[plan],
        constant_buffer=[program.Buffer(b"abc")],
        backend_delegate_data=[program.BackendDelegateInlineData(b"blob")],
        segments=[program.DataSegment(128, 2**33)],
        constant_segment=program.SubsegmentOffsets(0, [0, 16]),
        mutable_data_segments=[program.SubsegmentOffsets(1, [0])],
        named_data=[program.NamedData("key", 2)],
    )


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(program.write_program(example()).tobytes())
