"""Floating-point types below 16 bits of precision: which operators TOSA calculates in them as they are, and the others in float32.

PyTorch calculates in float32 and rounds the result once. A call that is one operator of TOSA does the same; one that is written with
several would round after each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DType, Tensor
from executorch.backends.arm.tosa.graph.registry import Operator
from executorch.dialects import meta_keys

#: Type -> the extension that has it.
EXTENSIONS = {
    torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "fp8e4m3",
    torch.float8_e5m2: "fp8e5m2",
}
_SUMS_IN = {DType.BF16: DType.FP32, DType.FP8E4M3: DType.FP16, DType.FP8E5M2: DType.FP16}
_ONE_FOR_ONE = {
    *(f"aten.{name}.Tensor" for name in ("add", "sub", "mul", "eq", "ge", "gt", "le", "lt", "ne")),
    *(f"aten.{name}.default" for name in ("maximum", "minimum", "abs", "neg", "relu", "ceil", "floor")),
    *(
        f"aten.{name}.default"
        for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "rsqrt", "reciprocal")
    ),
}
#: They sum in float32, and round once if there is no bias.
_WITH_BIAS = {"aten.convolution.default", "aten.linear.default"}
_SUMS = {"aten.convolution.default", "aten.linear.default", "aten.bmm.default", "aten.mm.default"}


def is_widened(row: Operator, node: Node) -> bool:
    """Whether a call on bfloat16 is calculated in float32."""
    values = [one.meta.get(meta_keys.VAL) for one in (node, *node.all_input_nodes)]
    kinds = {one.dtype for one in values if isinstance(one, torch.Tensor)}
    # What moves data takes every type.
    if torch.bfloat16 not in kinds or torch.int8 in row.dtypes:
        return False
    if row.name in _SUMS:
        # TOSA rounds the sums before it adds a bias.
        return row.name in _WITH_BIAS and len(node.args) > 2 and node.args[2] is not None
    # PyTorch rounds the product with alpha too.
    more = node.kwargs and row.name not in ("aten.add.Tensor", "aten.sub.Tensor")
    numbers = any(not isinstance(one, Node) for one in node.args) or bool(more)
    return row.name not in _ONE_FOR_ONE or numbers or kinds - {torch.bfloat16, torch.bool} != set()


def sums_in(dtype: Any) -> Any:
    """The type of the sums of a convolution, a product or an average, which a product has too."""
    return _SUMS_IN.get(dtype, dtype)


def cast_forms(low: Any, value: Any, dtype: Any) -> Any:
    """A value in another type."""
    if value.constant is not None:
        wide = torch.float32 if dtype == DType.FP32 else torch.bfloat16
        return type(value)(value.shape, constant=value.constant.to(wide))
    order, tensor = low.native(value)
    made: Tensor = low.builder.cast(tensor, dtype)
    return type(value)(value.shape, {order: made})


@contextlib.contextmanager
def widened(low: Any, node: Node) -> Iterator[None]:
    """Within it the call's operands, and what its nodes are said to make, are of float32; its results are rounded at the end.

    ``low`` is the lowering.
    """
    operands = [one for one in node.all_input_nodes if _is_narrow(one)]
    kept = {one: low.values[one] for one in operands if one in low.values}
    meta = {one: one.meta[meta_keys.VAL] for one in (*operands, node)}
    try:
        for one, value in kept.items():
            low.values[one] = cast_forms(low, value, DType.FP32)
        for one, value in meta.items():
            one.meta[meta_keys.VAL] = _wide(value)
        yield
    finally:
        low.values.update(kept)
        for one, value in meta.items():
            one.meta[meta_keys.VAL] = value
    made, told = low.values[node], meta[node]
    if isinstance(made, list):
        low.values[node] = [
            cast_forms(low, one, DType.BF16) if value.dtype is torch.bfloat16 else one
            for one, value in zip(made, told, strict=False)
        ]
    elif told.dtype is torch.bfloat16:
        low.values[node] = cast_forms(low, made, DType.BF16)


def _is_narrow(node: Node) -> bool:
    value = node.meta.get(meta_keys.VAL)
    return isinstance(value, torch.Tensor) and value.dtype is torch.bfloat16


def _wide(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(_wide, value))
    return value.float() if isinstance(value, torch.Tensor) and value.dtype is torch.bfloat16 else value
