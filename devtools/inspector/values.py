"""Logged values: from the ETDump and its debug buffer to tensors and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch

from executorch.devtools.etdump.schema_flatcc import Tensor, Value, ValueType
from executorch.exir.tensor import get_scalar_type

#: What follows every message about runs that do not belong together.
DIFFERENT_RUNS = (
    "\nWay out: an event block holds runs with the same inputs; record runs with other inputs, or of a method with "
    "state, in ETDumps of their own"
)

InferenceOutput: TypeAlias = torch.Tensor | list[torch.Tensor] | int | float | str | bool | None


def is_debug_output(value: Value) -> bool:
    """Whether the value is an output of the program."""
    return value.output is not None and value.output.bool_val


def inflate_runtime_output(value: Value, output_buffer: bytes | None) -> InferenceOutput:
    """The value; tensors are None if there is no debug buffer.

    Raises:
        ValueError: The debug buffer is not that of the ETDump.
    """
    if value.val == ValueType.INT.value and value.int_value is not None:
        return value.int_value.int_val
    if value.val == ValueType.BOOL.value and value.bool_value is not None:
        return value.bool_value.bool_val
    if value.val == ValueType.FLOAT.value and value.float_value is not None:
        return value.float_value.float_val
    if value.val == ValueType.DOUBLE.value and value.double_value is not None:
        return value.double_value.double_val
    if output_buffer is None:
        return None
    if value.val == ValueType.TENSOR.value and value.tensor is not None:
        return _tensor(value.tensor, output_buffer)
    if value.val == ValueType.TENSOR_LIST.value and value.tensor_list is not None:
        return [_tensor(tensor, output_buffer) for tensor in value.tensor_list.tensors]
    return None


def describe_tensors(value: Value) -> list[tuple[int, list[int], list[int]]]:
    """Type, sizes and strides of each tensor that a value has, which are known without the debug buffer."""
    if value.val == ValueType.TENSOR.value and value.tensor is not None:
        tensors = [value.tensor]
    elif value.val == ValueType.TENSOR_LIST.value and value.tensor_list is not None:
        tensors = value.tensor_list.tensors
    else:
        tensors = []
    return [(int(tensor.scalar_type), tensor.sizes, tensor.strides) for tensor in tensors]


def _tensor(tensor: Tensor, buffer: bytes) -> torch.Tensor:
    dtype = get_scalar_type(tensor.scalar_type)
    count = 1
    for size in tensor.sizes:
        count *= size
    if count == 0:
        return torch.empty(tensor.sizes, dtype=dtype)
    start = tensor.offset or 0
    size = count * torch.empty(0, dtype=dtype).element_size()
    if start < 0 or start + size > len(buffer):
        raise ValueError(
            f"a tensor should lie at bytes {start} to {start + size} of the debug buffer, which has {len(buffer)}: "
            "do the ETDump and the debug buffer come from the same run?"
        )
    flat = torch.frombuffer(bytearray(buffer[start : start + size]), dtype=dtype)
    return flat.as_strided(tensor.sizes, tensor.strides)


def is_inference_output_equal(output1: InferenceOutput, output2: InferenceOutput) -> bool:
    """Whether two values are the same: equal tensors, lists of equal tensors, or equal plain values."""
    if isinstance(output1, torch.Tensor) or isinstance(output2, torch.Tensor):
        return (
            isinstance(output1, torch.Tensor)
            and isinstance(output2, torch.Tensor)
            and torch.equal(output1, output2)
        )
    if isinstance(output1, list) and isinstance(output2, list):
        return len(output1) == len(output2) and all(
            is_inference_output_equal(one, other) for one, other in zip(output1, output2, strict=True)
        )
    return output1 == output2


def verify_debug_data_equivalence(
    existing_data: Sequence[InferenceOutput], new_data: Sequence[InferenceOutput]
) -> None:
    """Checks that two runs logged the same.

    Raises:
        AssertionError: They did not; the message says whether number, type or value differ.
    """
    if len(existing_data) != len(new_data):
        raise AssertionError(
            "Unequal debug data length encountered. Expected to be equal. Two runs of one event block logged "
            f"{len(existing_data)} and {len(new_data)} values." + DIFFERENT_RUNS
        )
    for place, (one, other) in enumerate(zip(existing_data, new_data, strict=True)):
        if not isinstance(other, type(one)):
            raise AssertionError(
                "Debug Data Types are different. Expected to be equal. "
                f"Value {place} is a {type(one).__name__} in one run and a {type(other).__name__} in another."
                + DIFFERENT_RUNS
            )
        if not is_inference_output_equal(one, other):
            kind = "Tensors Debug Data" if isinstance(one, torch.Tensor) else "Debug Data"
            raise AssertionError(
                f"{kind} is different. Expected to be equal. Two runs of one event block gave different results: "
                f"{_difference(one, other, place)}." + DIFFERENT_RUNS
            )


def _difference(one: InferenceOutput, other: InferenceOutput, place: int) -> str:
    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        return f"value {place} is {one!r:.60} and {other!r:.60}"
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"value {place} is {_kind(one)} and {_kind(other)}"
    unequal = int((one != other).sum())
    return f"value {place}, {_kind(one)}, differs in {unequal} of {one.numel()} elements"


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


__all__ = [
    "DIFFERENT_RUNS",
    "InferenceOutput",
    "describe_tensors",
    "inflate_runtime_output",
    "is_debug_output",
    "is_inference_output_equal",
    "verify_debug_data_equivalence",
]
