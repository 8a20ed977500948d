"""The operators, by chapters of the specification."""

from executorch.backends.arm.tosa.dialect.ops import (
    avg_pool2d,
    block_scaled,
    conversion,
    convolution,
    custom,
    data_layout,
    elementwise,
    fft,
    matmul,
    matmul_t_block_scaled,
    max_pool2d,
    reduction,
    resize,
    shape_ops,
)

__all__ = [
    "avg_pool2d",
    "block_scaled",
    "conversion",
    "convolution",
    "custom",
    "data_layout",
    "elementwise",
    "fft",
    "matmul",
    "matmul_t_block_scaled",
    "max_pool2d",
    "reduction",
    "resize",
    "shape_ops",
]
