"""Gated delta networks (https://arxiv.org/abs/2412.06464): attention whose past is one matrix a head, of Qwen3-Next and Qwen3.5."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  # registers torch.ops.llama
from executorch.extension.llm.models.attention import Attention, register_attention
from executorch.extension.llm.models.carried_state import carried
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.norm import RMSNorm
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.rope import Rope

#: Added to the sum of squares that queries and keys are divided by.
_EPS = 1e-6


def gated_delta_rule_op() -> Any:
    """The operator that runs the recurrence."""
    return torch.ops.llama.gated_delta_rule.default


@register_attention("gated_deltanet")
class GatedDeltaNet(Attention):
    """A short convolution over time, and the gated delta rule on what comes of it.

    Args:
        args: of the model; ``linear_*`` are the sizes.
        layer_id: number of the layer, from 0.
        rope: not used: the order of tokens is in the state.

    Attributes:
        conv_state: the last inputs of the convolution, ``[batch, channels, linear_conv_kernel_dim - 1]``.
        recurrent_state: ``[batch, value heads, key_dim, value_dim]``, float32.

    Raises:
        ValueError: sizes are missing, or heads of values are no multiple of those of keys.
    """

    conv_state: torch.Tensor
    recurrent_state: torch.Tensor

    def __init__(self, args: ModelArgs, layer_id: int, rope: Rope, **_kwargs: Any) -> None:
        super().__init__()
        del rope
        self.layer_id, self.use_kv_cache = layer_id, args.use_kv_cache
        self.key_heads, self.value_heads = args.linear_num_key_heads or 0, args.linear_num_value_heads or 0
        self.key_head_dim, self.value_head_dim = (
            args.linear_key_head_dim or 0,
            args.linear_value_head_dim or 0,
        )
        if not all((self.key_heads, self.value_heads, self.key_head_dim, self.value_head_dim)):
            raise RefusalError(
                "gated_deltanet needs linear_num_key_heads, linear_num_value_heads, linear_key_head_dim and linear_value_head_dim"
            )
        if self.value_heads % self.key_heads:
            raise RefusalError(
                f"{self.value_heads} heads of values cannot share {self.key_heads} of keys: the first must be a multiple"
            )
        keys, values = self.key_heads * self.key_head_dim, self.value_heads * self.value_head_dim
        self._parts, channels = (keys, keys, values), 2 * keys + values
        self.in_proj_qkv = nn.Linear(args.dim, channels, bias=False)
        self.in_proj_z = nn.Linear(args.dim, values, bias=False)
        self.in_proj_b = nn.Linear(args.dim, self.value_heads, bias=False)
        self.in_proj_a = nn.Linear(args.dim, self.value_heads, bias=False)
        self.conv1d = nn.Conv1d(channels, channels, args.linear_conv_kernel_dim, groups=channels, bias=False)
        self.dt_bias = nn.Parameter(torch.ones(self.value_heads))
        self.A_log = nn.Parameter(torch.empty(self.value_heads).uniform_(1, 16).log())
        self.norm = RMSNorm(self.value_head_dim, args.norm_eps)
        self.out_proj = nn.Linear(values, args.dim, bias=False)
        past = (args.max_batch_size, channels, args.linear_conv_kernel_dim - 1)
        state = (args.max_batch_size, self.value_heads, self.key_head_dim, self.value_head_dim)
        self.register_buffer("conv_state", torch.zeros(past), persistent=False)
        self.register_buffer("recurrent_state", torch.zeros(state), persistent=False)

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """As the base says. With a cache and ``input_pos`` states go on from the last call; from position 0 on, and otherwise, anew."""
        del freqs_cos, freqs_sin
        input_pos = kwargs.get("input_pos") if self.use_kv_cache else None
        batch = x.shape[0]
        past, state = (carried(one, batch, input_pos) for one in (self.conv_state, self.recurrent_state))
        mixed = torch.cat((past.to(x.dtype), self.in_proj_qkv(x).transpose(1, 2)), dim=2)
        y, state = self._recurrence(functional.silu(self.conv1d(mixed)).transpose(1, 2), x, state)
        if input_pos is not None:
            self.conv_state[:batch] = mixed.narrow(2, x.shape[1], past.shape[2])
            self.recurrent_state[:batch] = state
        gate = self.in_proj_z(x).unflatten(-1, (self.value_heads, self.value_head_dim))
        y = self.norm(y.to(x.dtype)) * functional.silu(gate.float())
        return self.out_proj(y.to(x.dtype).flatten(2)), None

    def _recurrence(
        self, mixed: torch.Tensor, x: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """``[batch, tokens, value heads, value_dim]`` and the last state, of ``mixed`` queries, keys and values."""
        q, k, v = mixed.float().split(self._parts, dim=-1)
        shared = self.value_heads // self.key_heads
        q, k = (
            _normal(one.unflatten(-1, (self.key_heads, self.key_head_dim))).repeat_interleave(shared, dim=2)
            for one in (q, k)
        )
        v = v.unflatten(-1, (self.value_heads, self.value_head_dim))
        step = functional.softplus(self.in_proj_a(x).float() + self.dt_bias.float())
        decay = torch.exp(-self.A_log.float().exp() * step)
        beta = self.in_proj_b(x).float().sigmoid()
        q, k, v, decay, beta = (
            one.transpose(1, 2).contiguous() for one in (q * self.key_head_dim**-0.5, k, v, decay, beta)
        )
        y, state = gated_delta_rule_op()(q, k, v, decay, beta, state.float())
        return y.transpose(1, 2), state


def _normal(x: torch.Tensor) -> torch.Tensor:
    """Of length one over the last dimension."""
    return x * torch.rsqrt(x.square().sum(-1, keepdim=True) + _EPS)
