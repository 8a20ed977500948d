"""Programs for the runtime's benchmark, written value by value so that both sides run the same few instructions."""

from __future__ import annotations

from executorch.emitter.pte_file import PTEFile, serialize_pte_binary
from executorch.schema import program
from executorch.schema.program import (
    AllocationDetails,
    Buffer,
    Chain,
    EValue,
    ExecutionPlan,
    Instruction,
    Int,
    KernelCall,
    Operator,
    Program,
    Tensor,
)
from executorch.schema.scalar_type import ScalarType

_SIZES = [2, 3]
_SLOT = 32  # Bytes between planned tensors: one tensor, rounded up to 16.


def _file(
    values: list[EValue], inputs: list[int], output: int, operator: Operator, calls: list[list[int]]
) -> bytes:
    planned = _SLOT * (len(values) + 1)
    plan = ExecutionPlan(
        name="forward",
        container_meta_type=program.ContainerMetadata("", ""),
        values=values,
        inputs=inputs,
        outputs=[output],
        chains=[Chain(instructions=[Instruction(KernelCall(0, arguments)) for arguments in calls])],
        operators=[operator],
        non_const_buffer_sizes=[0, planned],
    )
    # Constants live in a segment, even where there are none: what the published runtime reads.
    return bytes(serialize_pte_binary(PTEFile(Program(execution_plan=[plan], constant_buffer=[Buffer()]))))


def _tensor(slot: int) -> EValue:
    return EValue(
        Tensor(
            scalar_type=ScalarType.FLOAT,
            sizes=_SIZES,
            dim_order=list(range(len(_SIZES))),
            allocation_info=AllocationDetails(1, _SLOT * slot, 0),
        )
    )


def scalars(instructions: int) -> bytes:
    """As many additions of two integers, each the cheapest instruction that both runtimes have. No inputs."""
    values = [EValue(Int(1)), EValue(Int(2)), EValue(Int(0))]
    calls = [[0, 1, 2]] * instructions
    return _file(values, [], 2, Operator("executorch_prim::add", "Scalar"), calls)


def additions(count: int) -> bytes:
    """A chain of ``count`` additions ``x = x + y`` of float tensors of 2 x 3, each result in memory of its own."""
    values = [_tensor(slot) for slot in range(count + 2)] + [EValue(Int(1))]
    alpha = count + 2
    calls = [[0 if i == 0 else i + 1, 1, alpha, i + 2, i + 2] for i in range(count)]
    return _file(values, [0, 1], count + 1, Operator("aten::add", "out"), calls)
