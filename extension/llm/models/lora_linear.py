"""A linear layer with an adapter of low rank (https://arxiv.org/abs/2106.09685) beside it."""

from __future__ import annotations

import torch
from torch import nn


class LoRALinear(nn.Module):
    """``linear(x) + alpha / rank * lora_b(lora_a(x))``.

    Args:
        in_dim, out_dim: of the layer.
        rank: between the two small ones.
        alpha: what their product is scaled by, over the rank.
        dropout: of inputs in training; exports have none.
        use_bias: of the layer.
    """

    def __init__(
        self,
        in_dim: int,
        out_dim: int,
        rank: int,
        alpha: float,
        dropout: float = 0.0,
        use_bias: bool = False,
    ) -> None:
        super().__init__()
        self.in_dim, self.out_dim, self.rank, self.alpha = in_dim, out_dim, rank, alpha
        self.linear = nn.Linear(in_dim, out_dim, bias=use_bias)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.lora_a = nn.Linear(in_dim, rank, bias=False)
        self.lora_b = nn.Linear(rank, out_dim, bias=False)

    @property
    def weight(self) -> torch.Tensor:
        """Of the layer."""
        return self.linear.weight

    @property
    def bias(self) -> torch.Tensor | None:
        """Of the layer."""
        return self.linear.bias

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., in_dim]`` to ``[..., out_dim]``."""
        added = self.lora_b(self.lora_a(self.dropout(x)))
        y: torch.Tensor = self.linear(x) + added * (self.alpha / self.rank)
        return y
