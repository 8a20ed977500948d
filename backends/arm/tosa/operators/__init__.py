"""The lowerings; importing this package fills the registry."""

from executorch.backends.arm.tosa.operators import (
    elementwise,
    integer,
    matrix,
    normalized,
    reduce,
    shape,
    spatial,
)

__all__ = ["elementwise", "integer", "matrix", "normalized", "reduce", "shape", "spatial"]
