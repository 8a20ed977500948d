"""Products of matrices."""

from __future__ import annotations

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    TosaValueError,
    empty,
    known,
    operator,
    require_dtype,
    require_rank,
    require_same_dtype,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BF16, HALVES


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.bmm(a, b) if a.dtype.is_floating_point else torch.bmm(a.long(), b.long()).int()


@operator("MATMUL(Tensor input1, Tensor input2) -> Tensor", ALL, _product)
def _(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    require_same_dtype("MATMUL", a, b)
    types = supported(integers=(torch.int8,), floats=HALVES, int16=torch.int16, **BF16)
    require_dtype("MATMUL", a.dtype, types)
    require_rank("MATMUL", a, 3)
    require_rank("MATMUL", b, 3)
    pairs = (a.shape[0], b.shape[0]), (a.shape[2], b.shape[1])
    if any(known(one) and known(other) and one != other for one, other in pairs):
        raise TosaValueError(f"shapes {tuple(a.shape)} and {tuple(b.shape)} are not multiplied", "MATMUL")
    dtype = a.dtype if a.dtype.is_floating_point else torch.int32
    return empty(a, [a.shape[0], a.shape[1], b.shape[2]], dtype)
