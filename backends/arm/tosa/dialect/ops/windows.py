"""Windows of pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    TosaValueError,
    known,
    require_length,
    require_positive,
    require_rank,
)
from executorch.backends.arm.tosa.specification import Tosa_1_1, get_context_spec

Sizes = Sequence[Any]


def pooled_shape(op: str, x: torch.Tensor, kernel: Sizes, stride: Sizes, pad: Sizes) -> list[Any]:
    """The shape of a pool's result.

    Raises:
        TosaValueError: the windows do not fit.
    """
    require_length(op, "kernel", kernel, 2)
    require_length(op, "stride", stride, 2)
    require_length(op, "pad", pad, 4)
    require_rank(op, x, 4)
    require_positive(op, "kernel sizes", kernel)
    require_positive(op, "strides", stride)
    require_positive(op, "pads", pad, 0)
    made = []
    for i in range(2):
        if any(known(one) and known(kernel[i]) and one >= kernel[i] for one in pad[2 * i : 2 * i + 2]):
            raise TosaValueError(f"pad {list(pad)} as large as the kernel {list(kernel)}", op)
        size = (x.shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - kernel[i]) // stride[i] + 1
        if known(size) and size < 1:
            raise TosaValueError(f"a kernel of {kernel[i]} over {x.shape[1 + i]}", op)
        made.append(size)
    return [x.shape[0], *made, x.shape[3]]


def require_adaptive(op: str, x: torch.Tensor, shape: Sizes) -> None:
    """Raises:
    TosaValueError: the specification has no adaptive pools, or windows of one size do not give this.
    """
    spec = get_context_spec()
    if not isinstance(spec, Tosa_1_1):
        raise TosaValueError(f"{spec} doesn't support {op}, which is of TOSA 1.1", op)
    for before, after in zip(x.shape[1:3], shape[1:3], strict=True):
        if known(before) and known(after) and before % after not in (0, 1):
            raise TosaValueError(
                f"{before} to {after}: windows of one size need input_size % output_size in {{0, 1}}", op
            )
