"""The model of the example: two gated blocks of a small language model, with the parts that a backend leaves."""

from __future__ import annotations

import torch


class RMSNorm(torch.nn.Module):
    """x / rms(x) * scale, over the last dimension."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * self.scale


class GatedBlock(torch.nn.Module):
    """The feed-forward block of today's language models: silu(gate(x)) * up(x), then down, with a residual."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = RMSNorm(width)
        self.gate = torch.nn.Linear(width, hidden, bias=False)
        self.up = torch.nn.Linear(width, hidden, bias=False)
        self.down = torch.nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        normed = self.norm(x)
        return x + self.down(torch.nn.functional.silu(self.gate(normed)) * self.up(normed))


class SmallModel(torch.nn.Module):
    """Token embedding, gated blocks, and logits with a soft cap.

    Takes tokens ``[batch, time]`` (int64), gives logits ``[batch, time, vocabulary]``.
    """

    def __init__(self, vocabulary: int = 64, width: int = 32, hidden: int = 96, blocks: int = 2) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, width)
        self.blocks = torch.nn.Sequential(*(GatedBlock(width, hidden) for _ in range(blocks)))
        self.norm = RMSNorm(width)
        self.head = torch.nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        logits = self.head(self.norm(self.blocks(self.embedding(tokens))))
        return 30 * torch.tanh(logits / 30)
