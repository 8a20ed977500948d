"""Largest elements of windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import ALL, empty, operator, require_dtype, supported
from executorch.backends.arm.tosa.dialect.ops.elementwise import require_nan_mode
from executorch.backends.arm.tosa.dialect.ops.types import BF16, HALVES
from executorch.backends.arm.tosa.dialect.ops.windows import pooled_shape, require_adaptive

Sizes = Sequence[Any]


def _declare(op: str, adaptive: bool, sizes: str) -> None:
    def check(
        x: torch.Tensor, kernel: Sizes, stride: Sizes, pad: Sizes, nan_mode: str = "PROPAGATE"
    ) -> torch.Tensor:
        shape = pooled_shape(op, x, kernel, stride, pad)
        if adaptive:
            require_adaptive(op, x, shape)
        types = supported(integers=(torch.int8,), floats=HALVES, int16=torch.int16, **BF16)
        require_dtype(op, x.dtype, types)
        require_nan_mode(op, nan_mode)
        return empty(x, shape)

    operator(
        f"{op}(Tensor input, {sizes}[] kernel, {sizes}[] stride, {sizes}[] pad, *, "
        'str nan_mode="PROPAGATE") -> Tensor',
        ALL,
    )(check)


_declare("MAX_POOL2D", False, "int")
_declare("MAX_POOL2D_ADAPTIVE", True, "SymInt")
