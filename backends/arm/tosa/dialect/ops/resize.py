"""RESIZE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    TosaValueError,
    empty,
    known,
    operator,
    require_dtype,
    require_rank,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BF16, HALVES
from executorch.backends.arm.tosa.resize_utils import resize_refusal, resized_size

Sizes = Sequence[Any]


@operator(
    "RESIZE(Tensor input, SymInt[] scale, SymInt[] offset, SymInt[] border, *, str resize_mode) -> Tensor",
    ALL,
)
def _(x: torch.Tensor, scale: Sizes, offset: Sizes, border: Sizes, *, resize_mode: str) -> torch.Tensor:
    if resize_mode not in ("nearest", "bilinear"):
        raise TosaValueError(f"resize_mode {resize_mode!r}; there are nearest and bilinear", "RESIZE")
    require_rank("RESIZE", x, 4)
    types = supported(integers=(torch.int8,), floats=HALVES, int16=torch.int16, **BF16)
    require_dtype("RESIZE", x.dtype, types)
    why = resize_refusal(x.shape[1:3], scale, offset, border)
    if why is not None:
        raise TosaValueError(why, "RESIZE")
    made = [
        resized_size(x.shape[1 + i], scale[2 * i], scale[2 * i + 1], offset[i], border[i]) for i in range(2)
    ]
    if any(known(one) and one < 1 for one in made):
        raise TosaValueError(f"RESIZE output dimensions must be positive, got {made}", "RESIZE")
    dtype = None
    if not x.dtype.is_floating_point and resize_mode == "bilinear":
        # Of int16 the result has 48 bits in TOSA, which torch lacks.
        dtype = torch.int32
    return empty(x, [x.shape[0], *made, x.shape[3]], dtype)
