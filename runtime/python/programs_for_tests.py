"""Small programs for tests of the bindings, written value by value so that every detail can be wrong on purpose."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from executorch.schema import flat_tensor, program
from executorch.schema.program import (
    AllocationDetails,
    Chain,
    EValue,
    ExecutionPlan,
    ExtraTensorInfo,
    Instruction,
    Int,
    KernelCall,
    Operator,
    Program,
    Tensor,
    TensorDataLocation,
    TensorShapeDynamism,
)
from executorch.schema.scalar_type import ScalarType

ITEM_SIZE = {
    ScalarType.BYTE: 1,
    ScalarType.CHAR: 1,
    ScalarType.BOOL: 1,
    ScalarType.SHORT: 2,
    ScalarType.HALF: 2,
    ScalarType.BFLOAT16: 2,
    ScalarType.UINT16: 2,
    ScalarType.INT: 4,
    ScalarType.FLOAT: 4,
    ScalarType.LONG: 8,
    ScalarType.DOUBLE: 8,
}


@dataclass
class AddProgram:
    """``out = a + b`` with the portable kernel ``aten::add.out``, in as many methods as there are names.

    Attributes:
        external: ``b`` is not an input but external data with the key ``b``.
        plan_inputs, plan_outputs: whether those tensors have a place in the method's memory.
        dynamic: sizes are upper bounds.
        version: of the schema of both files.
    """

    methods: Sequence[str] = ("forward",)
    sizes: Sequence[int] = (2, 3)
    dim_order: Sequence[int] | None = None
    dtype: ScalarType = ScalarType.FLOAT
    dynamic: bool = False
    external: bool = False
    plan_inputs: bool = True
    plan_outputs: bool = True
    operator: tuple[str, str] = ("aten::add", "out")
    version: int = 0
    _arena: int = field(init=False, default=0)

    def nbytes(self) -> int:
        """Bytes in one tensor."""
        return math.prod(self.sizes) * ITEM_SIZE[self.dtype]

    def tensor(self, place: int, planned: bool, external: bool = False) -> Tensor:
        """One tensor, the ``place``-th in the arena if it is planned."""
        offset = place * ((self.nbytes() + 15) // 16 * 16)
        dynamic = self.dynamic and not external
        return Tensor(
            scalar_type=self.dtype,
            sizes=list(self.sizes),
            dim_order=list(self.dim_order or range(len(self.sizes))),
            allocation_info=AllocationDetails(1, offset, 0) if planned else None,
            shape_dynamism=TensorShapeDynamism.DYNAMIC_BOUND if dynamic else TensorShapeDynamism.STATIC,
            extra_tensor_info=ExtraTensorInfo(0, "b", TensorDataLocation.EXTERNAL) if external else None,
        )

    def plan(self, name: str) -> ExecutionPlan:
        """One method."""
        second = self.tensor(1, self.plan_inputs and not self.external, self.external)
        values = [self.tensor(0, self.plan_inputs), second, Int(1), self.tensor(2, self.plan_outputs)]
        inputs = [0] if self.external else [0, 1]
        call = Instruction(KernelCall(0, [0, 1, 2, 3, 3]))
        return ExecutionPlan(
            name=name,
            values=[EValue(value) for value in values],
            inputs=inputs,
            outputs=[3],
            chains=[Chain(inputs, [3], [call])],
            operators=[Operator(*self.operator)],
            non_const_buffer_sizes=[0, 3 * ((self.nbytes() + 15) // 16 * 16)],
        )

    def build(self) -> bytes:
        """The bytes of the ``.pte`` file."""
        return write(Program(version=self.version, execution_plan=[self.plan(name) for name in self.methods]))

    def build_data(self, payload: bytes, key: str = "b") -> bytes:
        """The bytes of a ``.ptd`` file with ``payload`` for ``b``."""
        layout = flat_tensor.TensorLayout(
            self.dtype, list(self.sizes), list(self.dim_order or range(len(self.sizes)))
        )
        root = flat_tensor.FlatTensor(
            version=self.version,
            segments=[flat_tensor.DataSegment(0, len(payload))],
            named_data=[flat_tensor.NamedData(key, 0, layout)],
        )
        message = flat_tensor.write_flat_tensor(root)
        gap = 48
        base = (gap + message.nbytes + 127) // 128 * 128
        header = b"FH01" + struct.pack("<IQQQQ", 40, gap, message.nbytes, base, len(payload))
        head = b"".join(bytes(chunk) for chunk in message.chunks(header.ljust(gap, b"\0")))
        return head.ljust(base, b"\0") + payload


def values_program(
    *values: object, methods: Sequence[str] = ("forward",), inputs: Sequence[int] = ()
) -> bytes:
    """A program without instructions whose outputs are the given values of the format, and whose inputs are
    those with the given indices."""
    plans = [
        ExecutionPlan(
            name=name,
            values=[EValue(value) for value in values],  # type: ignore[arg-type]
            inputs=list(inputs),
            outputs=list(range(len(values))),
            chains=[Chain(list(inputs), list(range(len(values))), [])],
            non_const_buffer_sizes=[0],
        )
        for name in methods
    ]
    return write(Program(execution_plan=plans))


def write(root: Program) -> bytes:
    """The bytes of a ``.pte`` file without segments."""
    return program.write_program(root).tobytes()
