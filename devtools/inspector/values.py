"""Logged values: from the ETDump and its debug buffer to tensors and numbers."""

from __future__ import annotations

from typing import TypeAlias

import torch

from executorch.devtools.etdump.schema_flatcc import Tensor, Value, ValueType
from executorch.exir.tensor import get_scalar_type

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


__all__ = ["InferenceOutput", "inflate_runtime_output", "is_debug_output"]
