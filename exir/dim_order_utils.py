"""Memory formats and dim orders of whole graphs."""

from executorch.dialects.dim_order import (
    dim_order_from_stride,
    dim_order_to_memory_format,
    is_channels_last_dim_order,
    is_contiguous_dim_order,
    memory_format_to_dim_order,
)

__all__ = [
    "dim_order_from_stride",
    "dim_order_to_memory_format",
    "is_channels_last_dim_order",
    "is_contiguous_dim_order",
    "memory_format_to_dim_order",
]
