"""The lowerings; importing this package fills the registry."""

from executorch.backends.arm.tosa.operators import (
    bits,
    choices,
    division,
    elementwise,
    indexing,
    integer,
    inverse,
    matrix,
    normalized,
    pools,
    reduce,
    sampled,
    shape,
    spatial,
    special,
    tables,
)

__all__ = [
    "bits",
    "choices",
    "division",
    "elementwise",
    "indexing",
    "integer",
    "inverse",
    "matrix",
    "normalized",
    "pools",
    "reduce",
    "sampled",
    "shape",
    "spatial",
    "special",
    "tables",
]
