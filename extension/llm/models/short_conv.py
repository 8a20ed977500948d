"""Gated short convolutions over time, which most layers of LFM2 have in place of attention."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executorch.extension.llm.models.attention import Attention, register_attention
from executorch.extension.llm.models.carried_state import carried
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.rope import Rope


@register_attention("short_conv")
class ShortConv(Attention):
    """``out_proj(c * conv(b * x))``, where ``in_proj`` gives ``b``, ``c`` and ``x``, and each channel is convolved by itself.

    Args:
        args: of the model; ``short_conv_*`` are the size and the biases.
        layer_id: number of the layer, from 0.
        rope: not used: the convolution sees the order of tokens.

    Attributes:
        conv_state: the last inputs of the convolution, ``[batch, dim, short_conv_kernel_dim - 1]``.
    """

    conv_state: torch.Tensor

    def __init__(self, args: ModelArgs, layer_id: int, rope: Rope, **_kwargs: Any) -> None:
        super().__init__()
        del rope
        self.layer_id, self.use_kv_cache = layer_id, args.use_kv_cache
        dim, kernel, bias = args.dim, args.short_conv_kernel_dim, args.short_conv_bias
        self.in_proj = nn.Linear(dim, 3 * dim, bias=bias)
        self.conv = nn.Conv1d(dim, dim, kernel, groups=dim, bias=bias)
        self.out_proj = nn.Linear(dim, dim, bias=bias)
        self.register_buffer(
            "conv_state", torch.zeros(args.max_batch_size, dim, kernel - 1), persistent=False
        )

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """As the base says. With a cache and ``input_pos`` the state goes on from the last call; from position 0 on, and otherwise, anew."""
        del freqs_cos, freqs_sin
        input_pos = kwargs.get("input_pos") if self.use_kv_cache else None
        b, c, inner = self.in_proj(x).transpose(1, 2).chunk(3, dim=1)
        past = carried(self.conv_state, x.shape[0], input_pos)
        mixed = torch.cat((past.to(x.dtype), b * inner), dim=2)
        if input_pos is not None:
            self.conv_state[: x.shape[0]] = mixed.narrow(2, x.shape[1], past.shape[2])
        return self.out_proj((c * self.conv(mixed)).transpose(1, 2)), None
