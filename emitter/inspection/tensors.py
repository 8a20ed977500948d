"""Tensors of a file in words and bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from executorch.schema.element_types import ELEMENT_TYPES
from executorch.schema.program import Tensor, TensorDataLocation, TensorShapeDynamism
from executorch.schema.scalar_type import ScalarType


def dtype_name(kind: ScalarType) -> str:
    """PyTorch's name of an element type."""
    return ELEMENT_TYPES[kind].name if kind in ELEMENT_TYPES else f"type {int(kind)}"


def nbytes(kind: ScalarType, sizes: Sequence[int]) -> int:
    """Bytes of a dense tensor."""
    return math.prod(sizes) * (ELEMENT_TYPES[kind].itemsize if kind in ELEMENT_TYPES else 1)


def type_and_shape(
    kind: ScalarType, sizes: Sequence[int], dim_order: Sequence[int], is_bound: bool = False
) -> str:
    """As `float32[1, 3, 8, 8]`; `<=` marks upper bounds; a dim order that is not contiguous is named."""
    shape = ", ".join(f"<={size}" if is_bound and size != 1 else str(size) for size in sizes)
    order = "" if list(dim_order) == sorted(dim_order) else f" dim order {list(dim_order)}"
    return f"{dtype_name(kind)}[{shape}]{order}"


def describe(tensor: Tensor, is_unbounded: bool = False) -> str:
    """The type and shape of a program's tensor; `is_unbounded` says that it may exceed its sizes."""
    is_dynamic = tensor.shape_dynamism != TensorShapeDynamism.STATIC
    text = type_and_shape(tensor.scalar_type, tensor.sizes, tensor.dim_order, is_dynamic)
    is_unbounded = is_unbounded or tensor.shape_dynamism == TensorShapeDynamism.DYNAMIC_UNBOUND
    return text + (" unbounded" if is_unbounded else "")


def is_external(tensor: Tensor) -> bool:
    """True if the tensor's bytes are in another file."""
    info = tensor.extra_tensor_info
    return info is not None and info.location == TensorDataLocation.EXTERNAL


def is_constant(tensor: Tensor) -> bool:
    """True if the tensor's bytes never change."""
    return tensor.allocation_info is None and (tensor.data_buffer_idx > 0 or is_external(tensor))


def name_of(tensor: Tensor) -> str | None:
    """The parameter's or buffer's name in the model, None if the file does not say."""
    info = tensor.extra_tensor_info
    return info.fully_qualified_name if info is not None else None


def place_of(tensor: Tensor) -> str:
    """Where the tensor's bytes are, in words."""
    if tensor.allocation_info is not None:
        place = tensor.allocation_info
        state = ", starts with stored data" if tensor.data_buffer_idx else ""
        return f"memory {place.memory_id} at {place.memory_offset:,}{state}"
    if is_external(tensor):
        return f"external data {name_of(tensor)!r}"
    return f"constant {tensor.data_buffer_idx}" if tensor.data_buffer_idx else "supplied by the caller"
