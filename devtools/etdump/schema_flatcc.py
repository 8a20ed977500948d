"""The objects of an ETDump, under their documented names.

They mirror ``schema/etdump.fbs``; :mod:`executorch.devtools.etdump.serialize` reads and writes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from executorch.schema.scalar_type import ScalarType


@dataclass
class Null:
    """No value."""


@dataclass
class Int:
    """An integer of 64 bits."""

    int_val: int


@dataclass
class Bool:
    """A truth value."""

    bool_val: bool


@dataclass
class Float:
    """A number of single precision."""

    float_val: float


@dataclass
class Double:
    """A number of double precision."""

    double_val: float


@dataclass
class String:
    """A text."""

    string_val: str


@dataclass
class Tensor:
    """Shape and type of a tensor; ``offset`` says where its data start in the debug buffer, in bytes."""

    scalar_type: ScalarType
    sizes: list[int]
    strides: list[int]
    offset: int | None


@dataclass
class TensorList:
    """Several tensors."""

    tensors: list[Tensor]


class ValueType(Enum):
    """Which field of :class:`Value` is set."""

    NULL = "Null"
    INT = "Int"
    BOOL = "Bool"
    FLOAT = "Float"
    DOUBLE = "Double"
    TENSOR = "Tensor"
    TENSOR_LIST = "TensorList"
    STRING = "String"


@dataclass
class Value:
    """A logged value; ``val`` is the value of a :class:`ValueType`, ``output`` is set for outputs of the program."""

    val: str
    tensor: Tensor | None
    tensor_list: TensorList | None
    int_value: Int | None
    float_value: Float | None
    double_value: Double | None
    bool_value: Bool | None
    output: Bool | None


@dataclass
class DebugEvent:
    """A value that was logged while a method ran."""

    name: str | None
    chain_index: int
    instruction_id: int
    delegate_debug_id_int: int | None
    delegate_debug_id_str: str | None
    debug_entry: Value


@dataclass
class ProfileEvent:
    """A span of time, in ticks of the platform's clock."""

    name: str | None
    chain_index: int
    instruction_id: int
    delegate_debug_id_int: int | None
    delegate_debug_id_str: str | None
    delegate_debug_metadata: bytes | None
    start_time: int
    end_time: int


@dataclass
class AllocationEvent:
    """An allocation of ``allocation_size`` bytes."""

    allocator_id: int
    allocation_size: int


@dataclass
class Allocator:
    """An allocator; its number is its place in the list, from 1 on."""

    name: str


@dataclass
class Event:
    """Exactly one of the fields is set."""

    profile_event: ProfileEvent | None
    allocation_event: AllocationEvent | None
    debug_event: DebugEvent | None


@dataclass
class RunData:
    """A block of events, such as one execution."""

    name: str
    bundled_input_index: int | None
    allocators: list[Allocator] | None
    events: list[Event] | None


@dataclass
class ETDumpFlatCC:
    """A recording."""

    version: int
    run_data: list[RunData]


class PROFILE_EVENT_ENUM(Enum):
    """Names of the events of the runtime itself."""

    RUN_MODEL = "Method::execute"
    OPERATOR_CALL = "OPERATOR_CALL"
    DELEGATE_CALL = "DELEGATE_CALL"
    LOAD_MODEL = "Program::load_method"


__all__ = [
    "PROFILE_EVENT_ENUM",
    "AllocationEvent",
    "Allocator",
    "Bool",
    "DebugEvent",
    "Double",
    "ETDumpFlatCC",
    "Event",
    "Float",
    "Int",
    "Null",
    "ProfileEvent",
    "RunData",
    "ScalarType",
    "String",
    "Tensor",
    "TensorList",
    "Value",
    "ValueType",
]
