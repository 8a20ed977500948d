"""Operators that work element by element, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional as F

Operator = Callable[..., Any]


def _of_one(function: Callable[[torch.Tensor], torch.Tensor]) -> Operator:
    return lambda x: function(x)


def _of_two(function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Operator:
    return lambda x, y: function(x, y)


def _reduced(function: Callable[..., torch.Tensor]) -> Operator:
    def run(x: torch.Tensor, axes: Any = None, keep_dims: Any = False) -> torch.Tensor:
        every = list(range(x.dim())) if axes is None else [int(one) for one in axes]
        return function(x, every, bool(keep_dims))

    return run


def _product(x: torch.Tensor, axes: list[int], keep: bool) -> torch.Tensor:
    for axis in sorted((one % x.dim() for one in axes), reverse=True):
        x = x.prod(axis, keepdim=keep)
    return x


def _extreme(function: Callable[..., torch.Tensor]) -> Operator:
    def run(x: torch.Tensor, axis: Any = -1, keep_dims: Any = False, output_dtype: str = "int32") -> Any:
        return function(x, int(axis), keepdim=bool(keep_dims))

    return run


def _cumsum(x: torch.Tensor, axis: Any = 0, exclusive: Any = False, reverse: Any = False) -> torch.Tensor:
    axis = int(axis)
    source = x.flip(axis) if bool(reverse) else x
    made = source.cumsum(axis)
    made = made - source if bool(exclusive) else made
    return made.flip(axis) if bool(reverse) else made


def _real_div(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # Of integers it is that of C, rounded down where it is not exact: the converter casts before it where that matters.
    return torch.div(x, y) if x.is_floating_point() else torch.div(x, y, rounding_mode="floor")


def _clip(x: torch.Tensor, alpha: Any, beta: Any) -> torch.Tensor:
    return torch.minimum(torch.maximum(x, alpha.to(x.dtype)), beta.to(x.dtype))


def _prelu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    shaped = alpha.reshape([1, -1] + [1] * (x.dim() - 2))
    return torch.where(x >= 0, x, x * shaped)


def _cast(x: torch.Tensor, dtype: str) -> torch.Tensor:
    names = {"fp16": torch.float16, "fp32": torch.float32, "bool": torch.bool}
    return x.to(names.get(dtype) or getattr(torch, dtype))


def _gelu(x: torch.Tensor, mode: str = "EXACT") -> torch.Tensor:
    if mode == "SIGMOID_APPROXIMATION":
        return x * torch.sigmoid(1.702 * x)
    return F.gelu(x, approximate="none" if mode == "EXACT" else "tanh")


def _softplus_parametric(x: torch.Tensor, alpha: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
    shape = [1, -1] + [1] * (x.dim() - 2)
    alpha, beta = alpha.reshape(shape), beta.reshape(shape)
    return alpha * torch.log1p(torch.exp(beta * x))


_TORCH = {
    "abs": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "atan": "atan",
    "atanh": "atanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "exp2": "exp2",
    "floor": "floor",
    "logical_not": "logical_not",
    "relu": "relu",
    "round": "round",
    "sigmoid": "sigmoid",
    "sign": "sign",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
}
_PAIRS = {
    "add": "add",
    "equal": "eq",
    "floor_div": "floor_divide",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "mod": "remainder",
    "mul": "mul",
    "not_equal": "ne",
    "pow": "pow",
    "sub": "sub",
}

OPERATORS: dict[str, Operator] = {
    **{name: _of_one(getattr(torch, of)) for name, of in _TORCH.items()},
    **{name: _of_two(getattr(torch, of)) for name, of in _PAIRS.items()},
    "real_div": _real_div,
    "identity": lambda x: x,
    "cast": _cast,
    "clip": _clip,
    "clamped_relu": lambda x, alpha, beta: torch.where(x >= 0, x, x * alpha).clamp(max=float(beta)),
    "elu": lambda x, alpha: F.elu(x, float(alpha)),
    "gelu": _gelu,
    "inverse": lambda x, epsilon=1e-4: 1 / (x + epsilon),
    "leaky_relu": lambda x, alpha: F.leaky_relu(x, float(alpha)),
    "linear_activation": lambda x, alpha, beta: x * alpha + beta,
    "log": lambda x, epsilon=1e-45: torch.log(x + epsilon),
    "prelu": _prelu,
    "relu6": lambda x: F.relu6(x),
    "rsqrt": lambda x, epsilon=1e-12: torch.rsqrt(x + epsilon),
    "scaled_tanh": lambda x, alpha, beta: alpha * torch.tanh(x * beta),
    "select": lambda cond, a, b: torch.where(cond, a, b),
    "sigmoid_hard": lambda x, alpha, beta: (x * alpha + beta).clamp(0, 1),
    "silu": lambda x: F.silu(x),
    "softmax": lambda x, axis=-1: x.softmax(int(axis)),
    "softplus": lambda x: F.softplus(x),
    "softplus_parametric": _softplus_parametric,
    "softsign": lambda x: F.softsign(x),
    "threshold": lambda x, alpha: torch.maximum(x, alpha),
    "thresholded_relu": lambda x, alpha: torch.where(x >= alpha, x, 0),
    "cumsum": _cumsum,
    "reduce_argmax": _extreme(torch.argmax),
    "reduce_argmin": _extreme(torch.argmin),
    "reduce_l1_norm": _reduced(lambda x, axes, keep: x.abs().sum(axes, keep)),
    "reduce_l2_norm": _reduced(lambda x, axes, keep: x.square().sum(axes, keep).sqrt()),
    "reduce_log_sum": _reduced(lambda x, axes, keep: x.sum(axes, keep).log()),
    "reduce_log_sum_exp": _reduced(lambda x, axes, keep: x.logsumexp(axes, keep)),
    "reduce_max": _reduced(lambda x, axes, keep: x.amax(axes, keep)),
    "reduce_mean": _reduced(lambda x, axes, keep: x.mean(axes, keep)),
    "reduce_min": _reduced(lambda x, axes, keep: x.amin(axes, keep)),
    "reduce_prod": _reduced(_product),
    "reduce_sum": _reduced(lambda x, axes, keep: x.sum(axes, keep)),
    "reduce_sum_square": _reduced(lambda x, axes, keep: x.square().sum(axes, keep)),
}
