"""Operators of a captured graph that PyTorch has no way to take apart for integers, as formulas of others that the quantizer knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from executorch.dialects.torch_types import OpOverload

_aten = torch.ops.aten
#: Factors of a product: each pair has scales of its own.
_MOST_FACTORS = 64


def _copysign(x: torch.Tensor, y: Any) -> torch.Tensor:
    """Zeros have no sign: integers tell no two of them apart."""
    size = x.abs()
    if isinstance(y, torch.Tensor):
        return torch.where(y < 0, -size, size)
    return -size if y < 0 else size


def _extremes(x: torch.Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    dims = [] if dim is None else [dim]
    return x.amin(dims, keepdim), x.amax(dims, keepdim)


def _dims(x: torch.Tensor, dim: Any) -> list[int]:
    return [dim] if isinstance(dim, int) else list(dim or range(x.dim()))


def _var_mean(x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    dims, correction = _dims(x, dim), 1 if correction is None else correction
    return x.var(dims, correction=correction, keepdim=keepdim), x.mean(dims, keepdim)


def _var_mean_of_dims(x: torch.Tensor, dim: Any, unbiased: bool = True, keepdim: bool = False) -> Any:
    return _var_mean(x, dim, correction=int(unbiased), keepdim=keepdim)


def _rooted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Of a deviation in place of a variance."""

    def calculated(*args: Any, **kwargs: Any) -> Any:
        variance, mean = function(*args, **kwargs)
        return variance.sqrt(), mean

    return calculated


def _product(x: torch.Tensor, dim: int, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Of pairs, of pairs of those and so on."""
    if x.shape[dim] > _MOST_FACTORS or dtype not in (None, x.dtype):
        return NotImplemented
    left = []
    while x.shape[dim] > 1:
        half, odd = divmod(x.shape[dim], 2)
        if odd:
            left.append(x.narrow(dim, 2 * half, 1))
        x = x.narrow(dim, 0, half) * x.narrow(dim, half, half)
    for one in left:
        x = x * one
    return x if keepdim else x.squeeze(dim)


def _block_diagonal(tensors: list[torch.Tensor]) -> torch.Tensor:
    blocks = [one.reshape(1, -1) if one.dim() < 2 else one for one in tensors]
    wide, at, rows = sum(one.shape[1] for one in blocks), 0, []
    for one in blocks:
        rows.append(F.pad(one, (at, wide - at - one.shape[1])))
        at += one.shape[1]
    return torch.cat(rows)


def _product_of_all(x: torch.Tensor, *, dtype: Any = None) -> Any:
    return _product(x.reshape(-1), 0, dtype=dtype)


#: Called with what the operator is called with; ``NotImplemented`` leaves a call as it is.
FORMULAS: dict[OpOverload, Callable[..., Any]] = {
    _aten.aminmax.default: _extremes,
    _aten.block_diag.default: _block_diagonal,
    _aten.copysign.Scalar: _copysign,
    _aten.copysign.Tensor: _copysign,
    _aten.fmax.default: torch.maximum,
    _aten.fmin.default: torch.minimum,
    _aten.hypot.default: lambda x, y: (x * x + y * y).sqrt(),
    _aten.prod.default: _product_of_all,
    _aten.prod.dim_int: _product,
    _aten.signbit.default: lambda x: x < 0,
    _aten.std_mean.correction: _rooted(_var_mean),
    _aten.std_mean.dim: _rooted(_var_mean_of_dims),
    _aten.var_mean.correction: _var_mean,
    _aten.var_mean.dim: _var_mean_of_dims,
}
