"""What a layer does to each token by itself."""

from __future__ import annotations

import torch
from torch import nn

from executorch.extension.llm.models.model_args import ActFn, ModelArgs


class FeedForward(nn.Module):
    """A gated layer: ``w2(act(w1(x)) * w3(x))``.

    Args:
        dim, hidden_dim: sizes outside and inside.
        act_fn: of the gate.
    """

    def __init__(self, dim: int, hidden_dim: int, act_fn: ActFn = ActFn.SILU) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)
        self.act_fn = act_fn.get_function()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., dim]`` to the same."""
        y: torch.Tensor = self.w2(self.act_fn(self.w1(x)) * self.w3(x))
        return y


class SharedExpert(FeedForward):
    """What all tokens go through beside their experts, as much of it as a gate lets pass."""

    def __init__(self, dim: int, hidden_dim: int, act_fn: ActFn = ActFn.SILU) -> None:
        super().__init__(dim, hidden_dim, act_fn)
        self.gate = nn.Linear(dim, 1, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., dim]`` to the same."""
        return torch.sigmoid(self.gate(x)) * super().forward(x)


class ConditionalFeedForward(nn.Module):
    """The layers of all experts, of which each token has some."""

    def __init__(self, args: ModelArgs) -> None:
        super().__init__()
        hidden = int(args.moe_hidden_dim or args.hidden_dim or 0)
        shape = (args.num_experts, hidden, args.dim)
        self.w1, self.w2, self.w3 = (nn.Parameter(torch.randn(shape) * args.dim**-0.5) for _ in range(3))
        self.act_fn = args.act_fn.get_function()

    def forward(self, x: torch.Tensor, expert_indices: torch.Tensor) -> torch.Tensor:
        """``[tokens, dim]`` and int64 ``[tokens, experts]`` to ``[tokens, experts, dim]``."""
        w1, w2, w3 = (weight[expert_indices] for weight in (self.w1, self.w2, self.w3))
        inner = self.act_fn(torch.einsum("td,tehd->teh", x, w1)) * torch.einsum("td,tehd->teh", x, w3)
        return torch.einsum("teh,tehd->ted", inner, w2)


class MOEFeedForward(nn.Module):
    """A mixture of experts: each token goes to those that its router rates highest, weighted among them or, without ``norm_topk_prob``,
    among all."""

    def __init__(self, config: ModelArgs) -> None:
        super().__init__()
        self.gate = nn.Linear(config.dim, config.num_experts, bias=False)
        self.cond_ffn = ConditionalFeedForward(config)
        self.dim, self.num_activated_experts = config.dim, config.num_activated_experts
        self.norm_topk_prob = config.norm_topk_prob
        shared = config.shared_expert_hidden_dim
        self.shared_expert = None if shared is None else SharedExpert(config.dim, shared, config.act_fn)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., dim]`` to the same."""
        tokens = x.reshape(-1, self.dim)
        ratings = self.gate(tokens)
        scores, experts = torch.topk(ratings, self.num_activated_experts, dim=-1)
        weights = (
            scores.softmax(dim=-1) if self.norm_topk_prob else ratings.softmax(dim=-1).gather(-1, experts)
        )
        mixed = torch.einsum("ted,te->td", self.cond_ffn(tokens, experts), weights)
        mixed = mixed if self.shared_expert is None else mixed + self.shared_expert(tokens)
        return mixed.reshape(x.shape)
