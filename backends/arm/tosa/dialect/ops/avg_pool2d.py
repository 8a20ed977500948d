"""Means over windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import ALL, TosaValueError, empty, operator
from executorch.backends.arm.tosa.dialect.ops.windows import pooled_shape, require_adaptive
from executorch.backends.arm.tosa.specification import TosaSpecification, get_context_spec

Sizes = Sequence[Any]


def validate_avg_pool2d_dtype(
    tosa_spec: TosaSpecification,
    x: torch.Tensor,
    input_zp: torch.Tensor,
    output_zp: torch.Tensor,
    acc_type: torch.dtype,
    op: str = "AVG_POOL2D",
) -> None:
    """Raises:
    TosaValueError: the specification has no such mean of these types.
    """
    accumulators: dict[torch.dtype, tuple[torch.dtype, ...]] = {}
    if tosa_spec.support_integer():
        accumulators[torch.int8] = (torch.int32,)
        if tosa_spec.support_extension("int16"):
            accumulators[torch.int16] = (torch.int32,)
    if tosa_spec.support_float():
        accumulators[torch.float16] = (torch.float16, torch.float32)
        accumulators[torch.float32] = (torch.float32,)
        if tosa_spec.support_extension("bf16"):
            accumulators[torch.bfloat16] = (torch.float32,)
    if x.dtype not in accumulators:
        names = ", ".join(map(str, accumulators))
        raise TosaValueError(f"Unsupported input dtype {x.dtype}: {tosa_spec} has {names}", op)
    for what, one in (("input", input_zp), ("output", output_zp)):
        if one.dtype != x.dtype:
            raise TosaValueError(
                f"{what} zero-point dtype {one.dtype} is not that of the input, {x.dtype}", op
            )
    if acc_type not in accumulators[x.dtype]:
        names = ", ".join(map(str, accumulators[x.dtype]))
        raise TosaValueError(f"accumulator type must be one of {names}, got {acc_type}", op)


def _declare(op: str, adaptive: bool, sizes: str) -> None:
    def check(
        x: torch.Tensor,
        input_zp: torch.Tensor,
        output_zp: torch.Tensor,
        kernel: Sizes,
        stride: Sizes,
        pad: Sizes,
        acc_type: torch.dtype,
    ) -> torch.Tensor:
        shape = pooled_shape(op, x, kernel, stride, pad)
        if adaptive:
            require_adaptive(op, x, shape)
        validate_avg_pool2d_dtype(get_context_spec(), x, input_zp, output_zp, acc_type, op)
        return empty(x, shape)

    operator(
        f"{op}(Tensor input, Tensor input_zp, Tensor output_zp, {sizes}[] kernel, {sizes}[] stride, {sizes}[] pad, "
        "ScalarType acc_type) -> Tensor",
        ALL,
    )(check)


_declare("AVG_POOL2D", False, "int")
_declare("AVG_POOL2D_ADAPTIVE", True, "SymInt")
