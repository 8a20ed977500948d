"""Documented path of :mod:`executorch.dialects.tensor_spec`."""

from executorch.dialects.tensor_spec import (
    ALIGNMENT,
    TensorShapeDynamism,
    TensorSpec,
    ViewSpec,
    calculate_aligned_num_bytes,
    contiguous_stride_from_shape,
    determine_tensor_dynanism,
    dim_order_from_stride,
    num_bytes_from_shape_and_dtype,
    stride_from_dim_order,
)

__all__ = [
    "ALIGNMENT",
    "TensorShapeDynamism",
    "TensorSpec",
    "ViewSpec",
    "calculate_aligned_num_bytes",
    "contiguous_stride_from_shape",
    "determine_tensor_dynanism",
    "dim_order_from_stride",
    "num_bytes_from_shape_and_dtype",
    "stride_from_dim_order",
]
