"""Norms by the root of the mean square (https://arxiv.org/abs/1910.07467)."""

from __future__ import annotations

import torch
from torch import nn


class RMSNorm(nn.Module):
    """Over the last dimension, in float32.

    Args:
        dim: its size.
        eps: added to the mean square.
        add_unit_offset: the weight is an offset from one.
    """

    def __init__(self, dim: int, eps: float = 1e-6, add_unit_offset: bool = False) -> None:
        super().__init__()
        self.dim, self.eps, self.add_unit_offset = dim, eps, add_unit_offset
        self.weight = nn.Parameter(torch.zeros(dim) if add_unit_offset else torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Of the shape and dtype of ``x``."""
        wide = x.float()
        normed = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        if self.add_unit_offset:
            return (normed * (1.0 + self.weight.float())).type_as(x)
        return (normed.type_as(x) * self.weight).type_as(x)
