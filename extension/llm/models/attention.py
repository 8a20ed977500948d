"""Attention of decoders: over a call's tokens, or over a cache."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, TypedDict

import torch
from torch import nn
from torch.nn import functional

from executorch.extension.llm.cache.kv_cache import KVCache, RingKVCache
from executorch.extension.llm.models.lora_linear import LoRALinear
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.norm import RMSNorm
from executorch.extension.llm.models.rope import Rope

_NO_POSITIONS = 'a model with a cache needs positions: attn_options={"input_pos": ...}'


class ForwardOptions(TypedDict, total=False):
    """What a call says beside its tokens.

    Attributes:
        input_pos: positions, int64: of the first token, if shapes are dynamic, else of each.
        mask: what is added to attention, or bool: what is seen; ``[tokens, positions]``.
        freqs_cos_override, freqs_sin_override: rotations in place of those of the positions.
        masks, in_cache_state, out_cache_state: of static attention, which says what they are.
        shared_kv: keys and values of another layer, as that one said them (``kv_to_share``).
    """

    input_pos: torch.Tensor | None
    mask: torch.Tensor | None
    freqs_cos_override: torch.Tensor | None
    freqs_sin_override: torch.Tensor | None
    masks: dict[int, torch.Tensor]
    in_cache_state: tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]] | None
    out_cache_state: tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]] | None
    shared_kv: Any


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


def linear(args: ModelArgs, name: str, inputs: int, outputs: int, bias: bool) -> nn.Module:
    """A layer by the name that adapters have for it, with an adapter if the model is made with one there."""
    if args.r is None or name not in (args.target_modules or ()):
        return nn.Linear(inputs, outputs, bias=bias)
    alpha = float(args.r if args.lora_alpha is None else args.lora_alpha)
    return LoRALinear(inputs, outputs, args.r, alpha, use_bias=bias)


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
        mask: ``[positions, positions]``, who sees whom; the causal one, unless somebody changes it.
        is_kv_shared_layer: it has no keys and values, and takes those of another layer.
        qk_rotation: what queries and keys go through last, ``[batch, tokens, heads, head_dim]``; it keeps their products.
    """

    _own_mask: torch.Tensor | None
    qk_rotation: nn.Module | None

    def __init__(self, args: ModelArgs, layer_id: int, rope: Rope, **_kwargs: Any) -> None:
        super().__init__()
        self.register_buffer("_own_mask", None, persistent=False)
        heads, kv_heads, head_dim = args.n_heads, int(args.n_kv_heads or 0), int(args.head_dim or 0)
        self.use_kv_cache, self.layer_id, self.dim = args.use_kv_cache, layer_id, args.dim
        self.n_heads = self.n_local_heads = heads
        self.n_kv_heads = self.n_local_kv_heads = kv_heads
        self.n_rep, self.head_dim = heads // kv_heads, head_dim
        self.max_batch_size, self.max_context_len = args.max_batch_size, args.max_context_len
        self.enable_dynamic_shape = args.enable_dynamic_shape
        self.use_q_gate = args.use_q_gate
        self.use_qk_norm, self.qk_norm_before_rope = args.use_qk_norm, args.qk_norm_before_rope
        self.scale, self.window = args.attention_multiplier, args.window_of(layer_id)
        self.rotates, self.softcap = args.rotates(layer_id), args.attn_logit_softcapping
        self.is_kv_shared_layer = args.is_kv_shared(layer_id)
        self.has_kv_weights = not self.is_kv_shared_layer
        self._is_donor = args.is_kv_donor(layer_id)
        self._gives_kv = args.num_kv_shared_layers > 0 and not self.is_kv_shared_layer
        self._add_layers(args)
        self.rope, self.qk_rotation = rope, None
        if self.use_kv_cache:
            self._add_cache(args)

    def _add_layers(self, args: ModelArgs) -> None:
        inner, keys = self.n_heads * self.head_dim, self.n_kv_heads * self.head_dim
        bias = args.attention_qkv_bias
        self.wq = linear(args, "q_proj", args.dim, inner * (2 if self.use_q_gate else 1), bias)
        self.wk = linear(args, "k_proj", args.dim, keys, bias) if self.has_kv_weights else None
        self.wv = linear(args, "v_proj", args.dim, keys, bias) if self.has_kv_weights else None
        self.wo = linear(args, "o_proj", inner, args.dim, False)
        if self.use_qk_norm:
            norm = (self.head_dim, args.norm_eps, args.rms_norm_add_unit_offset)
            self.q_norm_fn = RMSNorm(*norm)
            self.k_norm_fn = RMSNorm(*norm) if self.has_kv_weights else nn.Identity()

    def _add_cache(self, args: ModelArgs) -> None:
        self.kv_cache: Any = None
        positions = self.max_context_len
        if self.has_kv_weights:
            kind, length = (KVCache, positions) if self.window is None else (RingKVCache, self.window)
            sizes = (length, self.n_kv_heads, self.head_dim)
            self.kv_cache = kind(args.max_batch_size, *sizes, args.enable_dynamic_shape)
            positions = self.kv_cache.max_context_length
        inner = self.n_heads * self.head_dim
        self.SDPA: Any = SDPA(inner, self.head_dim, self.n_rep, positions, self.scale, self.softcap)

    @property
    def mask(self) -> torch.Tensor:
        """See the class; asked for, it is made."""
        if self._own_mask is None:
            self._own_mask = causal_mask(0, self.max_context_len, self.max_context_len, self.window)
        return self._own_mask

    @mask.setter
    def mask(self, value: torch.Tensor | None) -> None:
        self._own_mask = value

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, Any]:
        """As the base says; ``input_pos`` is needed where there is a cache. With ``shared_kv`` the layer's own keys and values play no part.

        Returns:
            The same shape, and ``kv_to_share`` where later layers may have them.

        Raises:
            ValueError: positions are not given, or keys and values to a layer that has none.
        """
        batch, tokens, _ = x.shape
        shared = kwargs.get("shared_kv")
        if shared is None and self.is_kv_shared_layer:
            raise ValueError(f"layer {self.layer_id} has no keys and values: give it another's as shared_kv")
        queries, gate = self._queries(x)
        q, k, v = self._heads(x, queries, freqs_cos, freqs_sin, shared)
        if self.use_kv_cache:
            input_pos = kwargs.get("input_pos")
            if shared is None:
                k, v = self._cached(k, v, input_pos)
            y = self._over_cache(q, k, v, input_pos, kwargs.get("mask"))
        else:
            mask = kwargs.get("mask")
            mask = self._mask_from(0, tokens, tokens) if mask is None else mask
            keys, values = (part.repeat_interleave(self.n_rep, dim=1) for part in (k, v))
            y = attend(q, keys, values, mask, self.scale, self.softcap)
            y = y.transpose(1, 2).reshape(batch, tokens, -1)
        if gate is not None:
            y = y * torch.sigmoid(gate)
        gives = self._gives_kv and shared is None
        return self.wo(y), {"kv_to_share": (k, v)} if gives else None

    def _queries(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Queries, ``[batch, tokens, heads, head_dim]``, and what opens and closes the results, ``[batch, tokens, heads * head_dim]``."""
        batch, tokens, _ = x.shape
        q = self.wq(x).view(batch, tokens, self.n_heads, -1)
        if not self.use_q_gate:
            return q, None
        q, gate = q.chunk(2, dim=-1)
        return q, gate.reshape(batch, tokens, -1)

    def _heads(
        self,
        x: torch.Tensor,
        q: torch.Tensor,
        freqs_cos: torch.Tensor,
        freqs_sin: torch.Tensor,
        shared: Any = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Queries, keys and values, ``[batch, heads, tokens, head_dim]``; the latter two as they are given, if they are."""
        batch, tokens, _ = x.shape
        # Rotations turn two: what stands for keys that are given is left.
        k = q if shared is not None else self.wk(x).view(batch, tokens, self.n_kv_heads, self.head_dim)  # type: ignore[misc]
        if self.use_qk_norm and self.qk_norm_before_rope:
            q, k = self.q_norm_fn(q), self.k_norm_fn(k)
        if self.rotates:
            q, k = self.rope(q, k, freqs_cos, freqs_sin)
        if self.use_qk_norm and not self.qk_norm_before_rope:
            q, k = self.q_norm_fn(q), self.k_norm_fn(k)
        if self.qk_rotation is not None:
            q, k = self.qk_rotation(q), self.qk_rotation(k)
        if shared is not None:
            return q.transpose(1, 2), *shared
        v = self.wv(x).view(batch, tokens, self.n_kv_heads, self.head_dim)  # type: ignore[misc]
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def _cached(
        self, k: torch.Tensor, v: torch.Tensor, input_pos: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The whole cache, with a call's keys and values in it."""
        is_ring = getattr(self.kv_cache, "is_ring_buffer", False)
        if self._is_donor and (is_ring or not getattr(self.kv_cache, "return_float_values", True)):
            raise ValueError(
                f"layer {self.layer_id} gives its cache to others, which need floats of all positions: not a window, not an int8 "
                "cache that gives bytes"
            )
        if input_pos is None:
            raise ValueError(_NO_POSITIONS)
        keys, values = self.kv_cache.update(input_pos, k, v)
        return keys, values

    def _over_cache(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        input_pos: torch.Tensor | None,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        if input_pos is None:
            raise ValueError(_NO_POSITIONS)
        batch, _, tokens, _ = q.shape
        if mask is None and getattr(self.SDPA, "needs_mask", True):
            mask = self._mask(input_pos, tokens)
        y: torch.Tensor = self.SDPA(input_pos, q, k, v, batch, tokens, mask)
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
        if self._own_mask is None:
            return causal_mask(start, tokens, positions, self.window)
        return self._own_mask.narrow(0, start, tokens)[:, :positions]


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
