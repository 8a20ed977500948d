"""Convolutions, channels last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    TosaValueError,
    empty,
    known,
    operator,
    require_length,
    require_positive,
    require_rank,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BF16, HALVES
from executorch.backends.arm.tosa.specification import get_context_spec

Sizes = Sequence[Any]
Given: TypeAlias = torch.Tensor | None


def accumulated(op: str, x: torch.Tensor, weight: torch.Tensor, bias: Given) -> torch.dtype:
    """The type of the result.

    Raises:
        TosaValueError: the types do not go together, or the specification lacks that of the input.
    """
    types = supported(integers=(torch.int8,), floats=HALVES, int16=torch.int16, **BF16)
    types |= supported(fp8e4m3=torch.float8_e4m3fn, fp8e5m2=torch.float8_e5m2)
    if x.dtype not in types:
        raise TosaValueError(
            f"{get_context_spec()} doesn't support {x.dtype} but found input type {x.dtype}", op
        )
    if x.dtype.is_floating_point:
        made = torch.float16 if x.dtype in (torch.float8_e4m3fn, torch.float8_e5m2) else x.dtype
        if weight.dtype != x.dtype:
            raise TosaValueError(
                f"requires weights {weight.dtype} to be of the same type as input {x.dtype}", op
            )
        if bias is not None and bias.dtype != made:
            raise TosaValueError(f"requires bias {bias.dtype} to be of the same type as input {x.dtype}", op)
        return made
    if weight.dtype is not torch.int8:
        raise TosaValueError(
            f"only supports {torch.int8} weights for {x.dtype} input but found {weight.dtype}", op
        )
    # Sums of int16 have 48 bits, which torch lacks: biases and results are int32 until they are rescaled.
    if bias is not None and bias.dtype is not torch.int32:
        raise TosaValueError(
            f"only supports {torch.int32} bias for {x.dtype} input but found {bias.dtype}", op
        )
    return torch.int32


def _windows(x: torch.Tensor, kernel: Sizes, stride: Sizes, pad: Sizes, dilation: Sizes) -> list[Any]:
    return [
        (x.shape[1 + i] + pad[2 * i] + pad[2 * i + 1] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        for i in range(len(kernel))
    ]


def _geometry(op: str, rank: int, stride: Sizes, pad: Sizes, dilation: Sizes) -> None:
    require_length(op, "stride", stride, rank)
    require_length(op, "pad", pad, 2 * rank)
    require_length(op, "dilation", dilation, rank)
    require_positive(op, "strides", stride)
    require_positive(op, "pads", pad, 0)
    require_positive(op, "dilations", dilation)


def _channels(op: str, x: torch.Tensor, each: Any) -> None:
    """Weights may have the channels of one group of several, until groups are taken apart."""
    whole = x.shape[-1]
    if known(whole) and known(each) and whole % each:
        raise TosaValueError(f"{whole} channels of the input, {each} of the weights", op)


def _bias(op: str, bias: Given, outputs: Any) -> None:
    # The published dialect gives a bias for the outputs of one group.
    if bias is not None and bias.dim() != 1:
        raise TosaValueError(f"bias of {bias.dim()} dimensions for {outputs} outputs; it takes one", op)


def _declare(op: str, rank: int) -> None:
    def check(
        x: torch.Tensor, weight: torch.Tensor, bias: Given, stride: Sizes, pad: Sizes, dilation: Sizes
    ) -> torch.Tensor:
        dtype = accumulated(op, x, weight, bias)
        require_rank(op, x, rank + 2)
        require_rank(op, weight, rank + 2, "weight")
        _geometry(op, rank, stride, pad, dilation)
        depthwise = op == "DEPTHWISE_CONV2D"
        kernel = weight.shape[:2] if depthwise else weight.shape[1:-1]
        outputs = weight.shape[2] * weight.shape[3] if depthwise else weight.shape[0]
        _channels(op, x, weight.shape[2] if depthwise else weight.shape[-1])
        _bias(op, bias, outputs)
        return empty(x, [x.shape[0], *_windows(x, kernel, stride, pad, dilation), outputs], dtype)

    operator(
        f"{op}(Tensor input, Tensor weight, Tensor? bias, int[] stride, SymInt[] pad, int[] dilation) -> Tensor",
        ALL,
    )(check)


_declare("CONV2D", 2)
_declare("CONV3D", 3)
_declare("DEPTHWISE_CONV2D", 2)


@operator(
    "TRANSPOSE_CONV2D(Tensor input, Tensor weight, Tensor? bias, SymInt[] out_pad, int[] stride) -> Tensor",
    ALL,
)
def _(x: torch.Tensor, weight: torch.Tensor, bias: Given, out_pad: Sizes, stride: Sizes) -> torch.Tensor:
    op = "TRANSPOSE_CONV2D"
    dtype = accumulated(op, x, weight, bias)
    require_rank(op, x, 4)
    require_rank(op, weight, 4, "weight")
    require_length(op, "stride", stride, 2)
    require_length(op, "out_pad", out_pad, 4)
    require_positive(op, "strides", stride)
    for i, one in enumerate(out_pad):
        kernel = weight.shape[1 + i // 2]
        if known(one) and known(kernel) and one <= -kernel:
            raise TosaValueError(f"out_pad {list(out_pad)} takes off as much as the kernel {kernel}", op)
    _channels(op, x, weight.shape[-1])
    _bias(op, bias, weight.shape[0])
    space = [
        (x.shape[1 + i] - 1) * stride[i] + out_pad[2 * i] + out_pad[2 * i + 1] + weight.shape[1 + i]
        for i in range(2)
    ]
    return empty(x, [x.shape[0], *space, weight.shape[0]], dtype)
