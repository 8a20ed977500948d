"""Transformer layers that torch calculates as one operator outside of training, when it keeps no gradients."""

from collections.abc import Callable
from typing import Any, Final

import torch
from torch.nn import functional

#: A mask of this type has a number for each position of each text; others have the last dimensions of the scores.
_POSITIONS: Final = 1


def _masked(scores: torch.Tensor, mask: "torch.Tensor | None", mask_type: "int | None") -> torch.Tensor:
    """Without what a mask hides: where it is true, or a number other than zero. ``scores`` has texts, heads and pairs."""
    if mask is None:
        return scores
    hidden = mask if mask.dtype == torch.bool else mask != 0
    if mask_type == _POSITIONS:
        hidden = hidden.unsqueeze(1).unsqueeze(1)
    return torch.masked_fill(scores, hidden, -torch.inf)


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    embed_dim: int,
    num_head: int,
    qkv_weight: torch.Tensor,
    qkv_bias: torch.Tensor,
    proj_weight: torch.Tensor,
    proj_bias: torch.Tensor,
    mask: "torch.Tensor | None" = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: "int | None" = None,
) -> "tuple[torch.Tensor, torch.Tensor | None]":
    def heads(of: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return functional.linear(of, weight, bias).unflatten(-1, [num_head, -1]).transpose(1, 2)

    parts = zip((query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3), strict=True)
    q, k, v = (heads(*part) for part in parts)
    scale = (embed_dim // num_head) ** -0.5
    weights = torch.softmax(_masked(q * scale @ k.transpose(-2, -1), mask, mask_type), -1)
    found = functional.linear((weights @ v).transpose(1, 2).flatten(2), proj_weight, proj_bias)
    if not need_weights:
        return found, None
    return found, weights.mean(1) if average_attn_weights else weights


def _encoder_layer(
    src: torch.Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: torch.Tensor,
    qkv_bias: torch.Tensor,
    proj_weight: torch.Tensor,
    proj_bias: torch.Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: torch.Tensor,
    norm_bias_1: torch.Tensor,
    norm_weight_2: torch.Tensor,
    norm_bias_2: torch.Tensor,
    ffn_weight_1: torch.Tensor,
    ffn_bias_1: torch.Tensor,
    ffn_weight_2: torch.Tensor,
    ffn_bias_2: torch.Tensor,
    mask: "torch.Tensor | None" = None,
    mask_type: "int | None" = None,
) -> torch.Tensor:
    def attend(x: torch.Tensor) -> torch.Tensor:
        projections = (qkv_weight, qkv_bias, proj_weight, proj_bias)
        return _attention(
            x, x, x, embed_dim, num_heads, *projections, mask, need_weights=False, mask_type=mask_type
        )[0]

    def feed(x: torch.Tensor) -> torch.Tensor:
        wide = functional.linear(x, ffn_weight_1, ffn_bias_1)
        active = functional.gelu(wide) if use_gelu else torch.relu(wide)
        return functional.linear(active, ffn_weight_2, ffn_bias_2)

    x = src
    norms = ((norm_weight_1, norm_bias_1), (norm_weight_2, norm_bias_2))
    for block, norm in zip((attend, feed), norms, strict=True):
        if norm_first:
            x = x + block(functional.layer_norm(x, [embed_dim], *norm, eps))
        else:
            x = functional.layer_norm(x + block(x), [embed_dim], *norm, eps)
    return x


TRANSFORMER_LAYERS: Final[dict[str, Callable[..., Any]]] = {
    "aten::_native_multi_head_attention": _attention,
    "aten::_transformer_encoder_layer_fwd": _encoder_layer,
}

__all__ = ["TRANSFORMER_LAYERS"]
