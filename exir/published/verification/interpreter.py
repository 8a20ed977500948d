"""Runs a program as the file's objects say it, on PyTorch's operators: to look at values while checking what was emitted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from executorch.dialects import dim_order_ops as _dim_order_ops  # noqa: F401  Defines operators of files.
from executorch.dialects import prim_ops as _prim_ops  # noqa: F401  The same.
from executorch.dialects.dim_order import stride_from_dim_order
from executorch.dialects.errors import ExportError, ExportErrorType
from executorch.dialects.torch_types import OpOverload
from executorch.emitter.scalar_types import DTYPES
from executorch.schema.program import (
    Bool,
    BoolList,
    Double,
    DoubleList,
    ExecutionPlan,
    FreeCall,
    Int,
    IntList,
    JumpFalseCall,
    KernelCall,
    MoveCall,
    Null,
    OptionalTensorList,
    Program,
    String,
    Tensor,
    TensorList,
)

_ABSENT = object()
_SCALARS: dict[type, Callable[[Any], Any]] = {
    Null: lambda value: None,
    Int: lambda value: value.int_val,
    Bool: lambda value: value.bool_val,
    Double: lambda value: float(value.double_val),
    String: lambda value: value.string_val,
    DoubleList: lambda value: list(value.items),
    BoolList: lambda value: list(value.items),
}


class Interpreter:
    """One method of a program, with its values.

    Args:
        program: as the emitter makes it, constants in ``constant_buffer``.
        method: the index of the method among the program's plans.
    """

    def __init__(self, program: Program, method: int = 0) -> None:
        self.program = program
        self.execution_plan: ExecutionPlan = program.execution_plan[method]
        self._values: list[Any] = [_ABSENT] * len(self.execution_plan.values)
        self._operators = [_operator(entry.name, entry.overload) for entry in self.execution_plan.operators]

    def get_operators_list(self) -> list[OpOverload]:
        """The operators that the method calls, as PyTorch's."""
        return list(self._operators)

    def get_value_list(self) -> list[Any]:
        """All values so far; None for those that nothing has loaded or written yet."""
        return [None if value is _ABSENT else value for value in self._values]

    def load_value(self, index: int) -> Any:
        """The value of an index: a constant is read from the file, memory of the plan is made empty."""
        if self._values[index] is _ABSENT:
            self._values[index] = self._read(self.execution_plan.values[index].val)
        value = self.execution_plan.values[index].val
        if isinstance(value, (IntList, TensorList)):
            return [self.load_value(item) for item in value.items]
        if isinstance(value, OptionalTensorList):
            return [None if item < 0 else self.load_value(item) for item in value.items]
        return self._values[index]

    def run(self, *inputs: Any) -> list[Any]:
        """Runs the method's instructions.

        Args:
            inputs: flat, as many as the method has.

        Returns:
            The flat outputs.

        Raises:
            ExportError: another number of inputs, or a delegate, whose code is not PyTorch's.
        """
        plan = self.execution_plan
        if len(inputs) != len(plan.inputs):
            raise ExportError(
                ExportErrorType.INVALID_INPUT_TYPE,
                f"method {plan.name} takes {len(plan.inputs)} inputs and was given {len(inputs)}",
            )
        for index, value in zip(plan.inputs, inputs, strict=True):
            self._values[index] = value
        (chain,) = plan.chains
        position = 0
        while position < len(chain.instructions):
            position = self._step(chain.instructions[position].instr_args, position)
        return [self.load_value(index) for index in plan.outputs]

    def _step(self, call: Any, position: int) -> int:
        """Runs an instruction; returns the index of the next."""
        if isinstance(call, KernelCall):
            self._call(self._operators[call.op_index], call.args)
        elif isinstance(call, MoveCall):
            self._values[call.move_to] = self.load_value(call.move_from)
        elif isinstance(call, JumpFalseCall):
            if not bool(self.load_value(call.cond_value_index)):
                return call.destination_instruction
        elif isinstance(call, FreeCall):
            self._values[call.value_index] = _ABSENT
        else:
            raise ExportError(
                ExportErrorType.NOT_SUPPORTED,
                f"method {self.execution_plan.name} calls a delegate, which only its backend can run. "
                "Way out: executorch.runtime runs the whole program.",
            )
        return position + 1

    def _call(self, op: OpOverload, indices: Sequence[int]) -> None:
        schema = op._schema
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for argument, index in zip(schema.arguments, indices, strict=False):
            if argument.kwarg_only:
                named[argument.name] = self.load_value(index)
            else:
                positional.append(self.load_value(index))
        result = op(*positional, **named)
        results = result if isinstance(result, (tuple, list)) and len(schema.returns) != 1 else [result]
        for index, value in zip(indices[len(schema.arguments) :], results, strict=False):
            self._values[index] = value

    def _read(self, value: Any) -> Any:
        if type(value) in _SCALARS:
            return _SCALARS[type(value)](value)
        if not isinstance(value, Tensor):
            return _ABSENT  # A list: its items are values of their own.
        dtype = DTYPES[value.scalar_type]
        if value.data_buffer_idx == 0:
            # Operators give it the size; the plan says the largest.
            return torch.empty(0, dtype=dtype)
        strides = stride_from_dim_order(value.sizes, list(value.dim_order))
        storage = bytes(self.program.constant_buffer[value.data_buffer_idx].storage)
        if not storage:
            return torch.empty(value.sizes, dtype=dtype)
        return torch.frombuffer(bytearray(storage), dtype=dtype).as_strided(value.sizes, strides)


def _operator(name: str, overload: str) -> OpOverload:
    namespace, _, plain = name.partition("::")
    packet = getattr(getattr(torch.ops, namespace), plain)
    found: OpOverload = getattr(packet, overload or "default")
    return found
