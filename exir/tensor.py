"""Specs of tensors, and their form in a program."""

from collections.abc import Sequence
from typing import Any

import torch

from executorch.dialects.dim_order import dim_order_of
from executorch.dialects.errors import internal_assert
from executorch.dialects.tensor_spec import (
    ALIGNMENT,
    TensorShapeDynamism,
    TensorSpec,
    ViewSpec,
    calculate_aligned_num_bytes,
    contiguous_stride_from_shape,
    determine_tensor_dynanism,
    num_bytes_from_shape_and_dtype,
    stride_from_dim_order,
)
from executorch.dialects.tensor_spec import dim_order_from_stride as _dim_order_from_stride
from executorch.emitter.scalar_types import DTYPES, SCALAR_TYPES
from executorch.schema import program as schema
from executorch.schema.program import ExtraTensorInfo
from executorch.schema.scalar_type import ScalarType

#: Element type to its number in a program, and back.
scalar_type_table: dict[torch.dtype, ScalarType] = SCALAR_TYPES
enum_to_scalar_map: dict[ScalarType, torch.dtype] = DTYPES

_LAYOUTS = {torch.strided: 0}
_MEMORY_FORMATS = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 2}


class AddressSpaceOverflowException(Exception):
    """A planned offset needs more than 64 bits."""


def dim_order_from_stride(stride: Sequence[Any]) -> tuple[int, ...]:
    """Dimensions by falling stride, outermost first; of equal strides the lower dimension first.

    Raises:
        RuntimeError: a stride is 0, as in expanded tensors, whose elements share memory.
    """
    for size in stride:
        if isinstance(size, int) and size == 0:
            raise RuntimeError(
                "0 in strides is not supported for ExecuTorch.\nWay out: call .contiguous() or .clone() on the tensor"
            )
    return _dim_order_from_stride(stride)


def scalar_type_enum(dtype: torch.dtype) -> ScalarType:
    """The number of an element type in programs."""
    return scalar_type_table[dtype]


def get_scalar_type(enum: ScalarType) -> torch.dtype:
    """The element type of a number in a program."""
    return enum_to_scalar_map[ScalarType(enum)]


def layout_enum(layout: torch.layout) -> int:
    """The number of a layout; programs have strided tensors only."""
    return _LAYOUTS[layout]


def memory_format_enum(memory_format: torch.memory_format) -> int:
    """The number of a memory format, as operators receive it."""
    return _MEMORY_FORMATS[memory_format]


def make_allocation_info(mem_id: int, mem_offset: int) -> schema.AllocationDetails:
    """The place of a planned tensor, its offset split into two words of 32 bits.

    Raises:
        ValueError: the offset is negative.
        AddressSpaceOverflowException: it needs more than 64 bits.
    """
    if mem_offset < 0:
        raise ValueError(f"mem_offset {mem_offset} must not be negative")
    if mem_offset >= 1 << 64:
        raise AddressSpaceOverflowException(f"mem_offset {mem_offset} does not fit in 64 bits")
    return schema.AllocationDetails(
        memory_id=mem_id, memory_offset_low=mem_offset & 0xFFFFFFFF, memory_offset_high=mem_offset >> 32
    )


def make_tensor_value(
    data_buffer_idx: int, allocation_info: "schema.AllocationDetails | None", spec: TensorSpec
) -> schema.Tensor:
    """A tensor of a program.

    Args:
        data_buffer_idx: which constant holds its bytes; 0 for none.
        allocation_info: where memory planning put it, None if nowhere.
        spec: describes it; its sizes must be numbers.
    """
    return schema.Tensor(
        scalar_type=scalar_type_enum(spec.scalar_type),
        storage_offset=0,
        sizes=[int(size) for size in spec.shape],
        dim_order=list(spec.dim_order),
        requires_grad=spec.requires_grad,
        layout=layout_enum(spec.layout),
        data_buffer_idx=data_buffer_idx,
        allocation_info=allocation_info,
        shape_dynamism=schema.TensorShapeDynamism(int(spec.shape_dynamism)),
        extra_tensor_info=spec.extra_tensor_info,
    )


def check_spec(tensor: torch.Tensor, spec: TensorSpec) -> None:
    """Raises unless ``spec`` describes ``tensor``.

    Raises:
        InternalError: names the first attribute that differs.
    """
    pairs = {
        "dtype": (tensor.dtype, spec.scalar_type),
        "shape": (list(tensor.shape), list(spec.shape)),
        "layout": (tensor.layout, spec.layout),
        "dim_order": (dim_order_of(tensor.shape, tensor.stride()), tuple(spec.dim_order)),
        "is_sparse": (tensor.is_sparse, spec.is_sparse),
    }
    for name, (actual, expected) in pairs.items():
        internal_assert(
            actual == expected,
            f"Tensor attribute '{name}' is expected to be equal to '{expected}', actually got: '{actual}'",
        )


__all__ = [
    "ALIGNMENT",
    "AddressSpaceOverflowException",
    "ExtraTensorInfo",
    "TensorShapeDynamism",
    "TensorSpec",
    "ViewSpec",
    "calculate_aligned_num_bytes",
    "check_spec",
    "contiguous_stride_from_shape",
    "determine_tensor_dynanism",
    "dim_order_from_stride",
    "enum_to_scalar_map",
    "get_scalar_type",
    "layout_enum",
    "make_allocation_info",
    "make_tensor_value",
    "memory_format_enum",
    "num_bytes_from_shape_and_dtype",
    "scalar_type_enum",
    "scalar_type_table",
    "stride_from_dim_order",
]
