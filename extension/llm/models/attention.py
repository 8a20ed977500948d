"""Attention of decoders: over a call's tokens, or over a cache."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, TypedDict

import torch
from torch import nn
from torch.nn import functional

from executorch.extension.llm.cache.kv_cache import KVCache, RingKVCache
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.norm import RMSNorm
from executorch.extension.llm.models.rope import Rope


class ForwardOptions(TypedDict, total=False):
    """What a call says beside its tokens.

    Attributes:
        input_pos: positions, int64: of the first token, if shapes are dynamic, else of each.
        mask: what is added to attention, or bool: what is seen; ``[tokens, positions]``.
        freqs_cos_override, freqs_sin_override: rotations in place of those of the positions.
        masks, in_cache_state, out_cache_state: of static attention, which says what they are.
    """

    input_pos: torch.Tensor | None
    mask: torch.Tensor | None
    freqs_cos_override: torch.Tensor | None
    freqs_sin_override: torch.Tensor | None
    masks: dict[int, torch.Tensor]
    in_cache_state: tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]] | None
    out_cache_state: tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]] | None


class Attention(nn.Module, abc.ABC):
    """What mixes tokens in a layer."""

    @abc.abstractmethod
    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """``[batch, tokens, dim]`` to the same, and what the next layers are told, or None."""


#: `ModelArgs.attention_type` to a class that takes the arguments, the number of the layer and the rotations.
ATTENTION_REGISTRY: dict[str, type[Attention]] = {}


def register_attention(name: str) -> Callable[[type[Attention]], type[Attention]]:
    """Makes a class the attention of a type's name."""

    def register(cls: type[Attention]) -> type[Attention]:
        ATTENTION_REGISTRY[name.lower()] = cls
        return cls

    return register


def causal_mask(start: Any, tokens: int, positions: int, window: int | None = None) -> torch.Tensor:
    """Which of all positions each of ``tokens`` queries from ``start`` on sees: bool of ``[tokens, positions]``."""
    query = torch.arange(tokens, dtype=torch.int64).unsqueeze(1) + start
    key = torch.arange(positions, dtype=torch.int64).unsqueeze(0)
    seen = key <= query
    return seen if window is None else seen & (query - key < window)


def attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor,
    scale: float | None = None,
    softcap: float | None = None,
) -> torch.Tensor:
    """Attention of ``[batch, heads, tokens, head_dim]``; with ``softcap`` products are held below it before they are masked."""
    if softcap is None:
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
    products = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    products = torch.tanh(products / softcap) * softcap
    products = products.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else products + mask
    return products.float().softmax(dim=-1).to(q.dtype) @ v


class SDPA(nn.Module):
    """Attention over a cache by PyTorch's operator.

    Args:
        dim: of all heads together.
        head_dim: of one.
        n_rep: heads of queries that share one of keys.
        max_context_len: positions of the cache.
        scale: of products; `1 / sqrt(head_dim)` by default.
        softcap: what products are held below.
    """

    def __init__(
        self,
        dim: int,
        head_dim: int,
        n_rep: int,
        max_context_len: int,
        scale: float | None = None,
        softcap: float | None = None,
    ) -> None:
        super().__init__()
        self.softcap = softcap
        self.dim, self.head_dim, self.n_rep = dim, head_dim, n_rep
        self.max_context_len, self.scale = max_context_len, scale

    def forward(
        self,
        input_pos: torch.Tensor,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        bsz: int,
        seqlen: int,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        """``q`` of ``[batch, heads, tokens, head_dim]``, a whole cache, ``[tokens, positions]`` to ``[batch, tokens, dim]``."""
        del input_pos
        k, v = k.repeat_interleave(self.n_rep, dim=1), v.repeat_interleave(self.n_rep, dim=1)
        y = attend(q, k, v, mask, self.scale, self.softcap)
        return y.transpose(1, 2).reshape(bsz, seqlen, self.dim)


@register_attention("mha")
class AttentionMHA(Attention):
    """Heads of queries over as many or fewer heads of keys and values.

    Args:
        args: of the model.
        layer_id: number of the layer, from 0.
        rope: rotations, common to all layers.

    Attributes:
        mask: ``[positions, positions]``, in place of the causal one, if somebody sets it.
        qk_rotation: what queries and keys go through last, ``[batch, tokens, heads, head_dim]``; it keeps their products.
    """

    mask: torch.Tensor | None
    qk_rotation: nn.Module | None

    def __init__(self, args: ModelArgs, layer_id: int, rope: Rope, **_kwargs: Any) -> None:
        super().__init__()
        self.register_buffer("mask", None, persistent=False)
        heads, kv_heads, head_dim = args.n_heads, int(args.n_kv_heads or 0), int(args.head_dim or 0)
        self.use_kv_cache, self.layer_id, self.dim = args.use_kv_cache, layer_id, args.dim
        self.n_heads = self.n_local_heads = heads
        self.n_kv_heads = self.n_local_kv_heads = kv_heads
        self.n_rep, self.head_dim = heads // kv_heads, head_dim
        self.max_batch_size, self.max_context_len = args.max_batch_size, args.max_context_len
        self.enable_dynamic_shape = args.enable_dynamic_shape
        self.use_qk_norm, self.qk_norm_before_rope = args.use_qk_norm, args.qk_norm_before_rope
        self.scale, self.window = args.attention_multiplier, args.window_of(layer_id)
        self.rotates, self.softcap = args.rotates(layer_id), args.attn_logit_softcapping
        if self.use_qk_norm:
            self.q_norm_fn, self.k_norm_fn = (
                RMSNorm(head_dim, args.norm_eps, args.rms_norm_add_unit_offset) for _ in range(2)
            )
        bias = args.attention_qkv_bias
        self.wq = nn.Linear(args.dim, heads * head_dim, bias=bias)
        self.wk = nn.Linear(args.dim, kv_heads * head_dim, bias=bias)
        self.wv = nn.Linear(args.dim, kv_heads * head_dim, bias=bias)
        self.wo = nn.Linear(heads * head_dim, args.dim, bias=False)
        self.rope, self.qk_rotation = rope, None
        if self.use_kv_cache:
            kind, length = (
                (KVCache, self.max_context_len) if self.window is None else (RingKVCache, self.window)
            )
            self.kv_cache: Any = kind(
                args.max_batch_size, length, kv_heads, head_dim, args.enable_dynamic_shape
            )
            self.SDPA: Any = SDPA(
                heads * head_dim,
                head_dim,
                self.n_rep,
                self.kv_cache.max_context_length,
                self.scale,
                self.softcap,
            )

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """As the base says; ``input_pos`` is needed where there is a cache.

        Raises:
            ValueError: it is not given.
        """
        batch, tokens, _ = x.shape
        q, k, v = self._heads(x, freqs_cos, freqs_sin)
        if self.use_kv_cache:
            y = self._over_cache(q, k, v, kwargs.get("input_pos"), kwargs.get("mask"))
        else:
            mask = kwargs.get("mask")
            mask = self._mask_from(0, tokens, tokens) if mask is None else mask
            k, v = k.repeat_interleave(self.n_rep, dim=1), v.repeat_interleave(self.n_rep, dim=1)
            y = attend(q, k, v, mask, self.scale, self.softcap)
            y = y.transpose(1, 2).reshape(batch, tokens, -1)
        return self.wo(y), None

    def _heads(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Queries, keys and values, ``[batch, heads, tokens, head_dim]``."""
        batch, tokens, _ = x.shape
        q = self.wq(x).view(batch, tokens, self.n_heads, self.head_dim)
        k = self.wk(x).view(batch, tokens, self.n_kv_heads, self.head_dim)
        v = self.wv(x).view(batch, tokens, self.n_kv_heads, self.head_dim)
        if self.use_qk_norm and self.qk_norm_before_rope:
            q, k = self.q_norm_fn(q), self.k_norm_fn(k)
        if self.rotates:
            q, k = self.rope(q, k, freqs_cos, freqs_sin)
        if self.use_qk_norm and not self.qk_norm_before_rope:
            q, k = self.q_norm_fn(q), self.k_norm_fn(k)
        if self.qk_rotation is not None:
            q, k = self.qk_rotation(q), self.qk_rotation(k)
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def _over_cache(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        input_pos: torch.Tensor | None,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        if input_pos is None:
            raise ValueError('a model with a cache needs positions: attn_options={"input_pos": ...}')
        batch, _, tokens, _ = q.shape
        keys, values = self.kv_cache.update(input_pos, k, v)
        if mask is None and getattr(self.SDPA, "needs_mask", True):
            mask = self._mask(input_pos, tokens)
        y: torch.Tensor = self.SDPA(input_pos, q, keys, values, batch, tokens, mask)
        return y

    def _mask(self, input_pos: torch.Tensor, tokens: int) -> torch.Tensor:
        start = input_pos[0].item()
        torch._check(start >= 0)
        if getattr(self.kv_cache, "is_ring_buffer", False):
            mask: torch.Tensor = self.kv_cache.create_causal_mask_for_ring_buffer(start, tokens)
            return mask
        torch._check(start + tokens <= self.max_context_len)
        return self._mask_from(start, tokens, self.max_context_len)

    def _mask_from(self, start: Any, tokens: int, positions: int) -> torch.Tensor:
        if self.mask is None:
            return causal_mask(start, tokens, positions, self.window)
        return self.mask.narrow(0, start, tokens)[:, :positions]


@register_attention("skip")
class AttentionSkip(Attention):
    """None: tokens pass as they are."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """``x``."""
        return x, None
