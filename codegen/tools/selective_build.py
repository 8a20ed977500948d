"""What a program calls: its operators, and the dtype and dim order of each tensor that a call names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from executorch.schema.program import (
    KernelCall,
    KernelTypes,
    OptionalTensorList,
    Program,
    Tensor,
    TensorList,
    read_program,
)

#: Numbers of the kinds of values in the file format.
_KINDS = {kind: number for number, kind in enumerate(get_args(KernelTypes), start=1)}


@dataclass(frozen=True)
class _Program:
    """A program that was read, and the bytes that it was read from."""

    program: Program
    data: bytes


@dataclass(frozen=True)
class _IOMetaData:
    """An argument of a call. For a list of tensors its first tensor stands.

    Attributes:
        kernel_type: the number of its kind in the file format; 5 is a tensor.
        dtype: the number of a tensor's dtype, 0 for what is no tensor.
    """

    kernel_type: int
    dtype: int
    _order: tuple[int, ...]

    @property
    def dim_order(self) -> list[int]:
        """Outermost dimension first."""
        return list(self._order)


def _get_program_from_buffer(buffer: bytes) -> _Program:
    """Reads a `.pte` file's bytes.

    Raises:
        FormatError: if they are no program.
    """
    data = bytes(buffer)
    return _Program(read_program(data), data)


def _names(program: Program, plan: int) -> list[str]:
    return [
        op.name + (f".{op.overload}" if op.overload else "") for op in program.execution_plan[plan].operators
    ]


def _get_program_operators(program: _Program) -> list[str]:
    """Names with overloads of the operators of all methods, method by method."""
    return [
        name for plan in range(len(program.program.execution_plan)) for name in _names(program.program, plan)
    ]


def _argument(program: Program, plan: int, index: int) -> _IOMetaData:
    values = program.execution_plan[plan].values
    value = values[index].val
    if isinstance(value, (TensorList, OptionalTensorList)):
        present = [item for item in value.items if item >= 0]
        value = values[present[0]].val if present else value
    if isinstance(value, Tensor):
        return _IOMetaData(_KINDS[Tensor], int(value.scalar_type), tuple(bytes(value.dim_order)))
    return _IOMetaData(_KINDS[type(value)], 0, ())


def _get_io_metadata_for_program_operators(program: _Program) -> dict[str, set[tuple[_IOMetaData, ...]]]:
    """For each operator that is called, the arguments of its calls, in their order.

    The last argument of a call stands for what it returns and is among them.
    """
    found: dict[str, set[tuple[_IOMetaData, ...]]] = {}
    for plan, execution in enumerate(program.program.execution_plan):
        names = _names(program.program, plan)
        for chain in execution.chains:
            for instruction in chain.instructions:
                call = instruction.instr_args
                if isinstance(call, KernelCall):
                    arguments = tuple(_argument(program.program, plan, index) for index in call.args)
                    found.setdefault(names[call.op_index], set()).add(arguments)
    return found
