"""Programs of one call each, for the operators whose output's shape depends on what is in a tensor.

They are written by hand and not exported: a file may place tensors as it likes, and these have them side by side, so that one
changed number makes two of them overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

from executorch.emitter import PTEFile, serialize_pte_binary
from executorch.schema import program as schema
from executorch.schema.element_types import ELEMENT_TYPES
from executorch.schema.scalar_type import ScalarType

FLOAT, LONG, BOOL = ScalarType.FLOAT, ScalarType.LONG, ScalarType.BOOL
_ALIGNMENT = 16


@dataclass
class T:
    """A tensor of a call: an input, or an output that may take fewer elements."""

    sizes: list[int]
    dtype: ScalarType = FLOAT
    written: bool = False


@dataclass
class Ints:
    """A list of numbers."""

    values: list[int]


class _Plan:
    """Values of a method as they are added, with tensors one after the other in one buffer."""

    def __init__(self) -> None:
        self.values: list[schema.EValue] = []
        self.inputs: list[int] = []
        self.outputs: list[int] = []
        self.used = 0

    def add(self, value: object) -> int:
        self.values.append(schema.EValue(value))
        return len(self.values) - 1

    def tensor(self, tensor: T) -> int:
        count = ELEMENT_TYPES[tensor.dtype].itemsize
        for size in tensor.sizes:
            count *= size
        place = schema.AllocationDetails(1, self.used, 0)
        self.used += -(-count // _ALIGNMENT) * _ALIGNMENT
        dynamism = schema.TensorShapeDynamism
        index = self.add(
            schema.Tensor(
                scalar_type=tensor.dtype,
                sizes=tensor.sizes,
                dim_order=list(range(len(tensor.sizes))),
                allocation_info=place,
                shape_dynamism=dynamism.DYNAMIC_BOUND if tensor.written else dynamism.STATIC,
            )
        )
        (self.outputs if tensor.written else self.inputs).append(index)
        return index

    def argument(self, value: object) -> int:
        if isinstance(value, T):
            return self.tensor(value)
        if isinstance(value, Ints):
            return self.add(schema.IntList([self.add(schema.Int(number)) for number in value.values]))
        if isinstance(value, list):
            items = [-1 if item is None else self.tensor(item) for item in value]
            return self.add(schema.OptionalTensorList(items))
        if value is None:
            return self.add(schema.Null())
        if isinstance(value, bool):
            return self.add(schema.Bool(value))
        if isinstance(value, int):
            return self.add(schema.Int(value))
        if isinstance(value, str):
            return self.add(schema.String(value))
        return self.add(schema.Double(value))


def one_call(operator: str, arguments: list[object]) -> bytes:
    """A program that calls an operator once, with inputs and outputs in one planned buffer."""
    plan = _Plan()
    indices = [plan.argument(argument) for argument in arguments]
    # The result's place: the last output, or the list of them.
    outputs = [i for i in indices if i in plan.outputs]
    indices.append(outputs[0] if len(outputs) == 1 else plan.add(schema.TensorList(outputs)))
    name, _, overload = operator.partition(".")
    method = schema.ExecutionPlan(
        name="forward",
        values=plan.values,
        inputs=plan.inputs,
        outputs=plan.outputs,
        chains=[schema.Chain(instructions=[schema.Instruction(schema.KernelCall(0, indices))])],
        operators=[schema.Operator(name, overload)],
        non_const_buffer_sizes=[0, plan.used],
    )
    program = schema.Program(execution_plan=[method])
    return bytes(serialize_pte_binary(PTEFile(program)))


def _out(*sizes: int, dtype: ScalarType = FLOAT) -> T:
    return T(list(sizes), dtype, True)


#: Name of the file to its program. Inputs are small numbers (`run_all` fills them), so that indices are in range.
CALLS: dict[str, tuple[str, list[object]]] = {
    "nonzero": ("aten::nonzero.out", [T([4, 5]), _out(20, 2, dtype=LONG)]),
    "masked_select": ("aten::masked_select.out", [T([4, 5]), T([4, 5], BOOL), _out(20)]),
    "repeat_interleave": ("aten::repeat_interleave.Tensor_out", [T([6], LONG), None, _out(20, dtype=LONG)]),
    "bincount": ("aten::bincount.out", [T([9], LONG), None, 3, _out(12, dtype=LONG)]),
    "index_mask": ("aten::index.Tensor_out", [T([4, 5]), [T([4, 5], BOOL)], _out(20)]),
    "index_rows": ("aten::index.Tensor_out", [T([4, 5]), [T([3], LONG)], _out(3, 5)]),
    "index_put_mask": ("aten::index_put.out", [T([4, 5]), [T([4, 5], BOOL)], T([1]), False, _out(4, 5)]),
    "scatter_mean": (
        "aten::scatter_reduce.two_out",
        [T([4, 5]), 1, T([4, 5], LONG), T([4, 5]), "mean", True, _out(4, 5)],
    ),
    "gather": ("aten::gather.out", [T([3, 5]), 0, T([3, 5], LONG), False, _out(3, 5)]),
    "topk": ("aten::topk.values", [T([3, 5]), 2, -1, True, True, _out(3, 2), _out(3, 2, dtype=LONG)]),
    "slice": ("aten::slice_copy.Tensor_out", [T([6, 5]), 0, 1, 5, 2, _out(6, 5)]),
    "arange": ("aten::arange.start_out", [0, 7, 2, _out(8, dtype=LONG)]),
    "full": ("aten::full.out", [Ints([2, 3]), 1.5, _out(4, 4)]),
    "view": ("aten::view_copy.out", [T([4, 6]), Ints([3, 8]), _out(4, 8)]),
}
