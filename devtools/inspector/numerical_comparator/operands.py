"""What comparators make of their operands before they subtract them."""

from __future__ import annotations

from typing import Any

import torch


def to_float_tensor(value: Any) -> torch.Tensor:
    """A number or a tensor as float64 on the CPU; NaN counts as zero.

    Raises:
        TypeError: It is neither.
    """
    if not isinstance(value, (torch.Tensor, int, float, bool)):
        raise TypeError(f"a {type(value).__name__} cannot be compared: neither a tensor nor a number")
    tensor = torch.as_tensor(value).detach().cpu().to(torch.float64)
    return torch.nan_to_num(tensor, nan=0.0)


def comparable(a: Any, b: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Both as float64. Dimensions of size 1 do not count where the sizes are alike without them.

    A lowering may turn a row into a column and back, and a view at run time is no event: the column is what was seen.

    Raises:
        TypeError: One of them is neither a number nor a tensor.
        ValueError: Their sizes do not fit.
    """
    one, other = to_float_tensor(a), to_float_tensor(b)
    if one.squeeze().shape == other.squeeze().shape:
        return one, other.reshape(one.shape)
    try:
        torch.broadcast_shapes(one.shape, other.shape)
    except RuntimeError:
        sizes = f"{tuple(one.shape)} cannot be compared with one of {tuple(other.shape)}"
        raise ValueError(f"a value of size {sizes}") from None
    return one, other


__all__ = ["comparable", "to_float_tensor"]
