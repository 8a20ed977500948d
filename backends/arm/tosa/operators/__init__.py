"""The lowerings; importing this package fills the registry."""

from executorch.backends.arm.tosa.operators import (
    elementwise,
    integer,
    inverse,
    matrix,
    normalized,
    reduce,
    shape,
    spatial,
)

__all__ = ["elementwise", "integer", "inverse", "matrix", "normalized", "reduce", "shape", "spatial"]
