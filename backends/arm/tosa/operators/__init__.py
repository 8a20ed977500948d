"""The lowerings; importing this package fills the registry."""

from executorch.backends.arm.tosa.operators import (
    choices,
    elementwise,
    integer,
    inverse,
    matrix,
    normalized,
    reduce,
    shape,
    spatial,
)

__all__ = [
    "choices",
    "elementwise",
    "integer",
    "inverse",
    "matrix",
    "normalized",
    "reduce",
    "shape",
    "spatial",
]
