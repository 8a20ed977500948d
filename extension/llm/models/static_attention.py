"""Attention of fixed shapes: caches are inputs and outputs, so that a program has no state, no index and no dynamic size.

Processors that take nothing else run it (NPUs). `static_io` keeps the caches between calls.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.models.attention import Attention, AttentionMHA, attend, register_attention
from executorch.extension.llm.models.lora_linear import LoRALinear
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.norm import RMSNorm
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.rope import Rope, apply_rotary_emb_to_k, hf_apply_rotary_emb_to_k
from executorch.extension.llm.models.static_cache import (
    Caches,
    StaticKCache,
    StaticKVCache,
    StaticVCache,
    attention_mask,
)
from executorch.extension.llm.models.transformer import Transformer


class PointwiseConvolution(nn.Conv2d):
    """A linear layer as a convolution of one pixel, which some processors have in its stead."""

    @classmethod
    def of(cls, linear: nn.Linear) -> PointwiseConvolution:
        """With the weights of a linear layer."""
        made = cls(linear.in_features, linear.out_features, 1, bias=linear.bias is not None)
        made.load_state_dict(
            {
                name: value[:, :, None, None] if name == "weight" else value
                for name, value in linear.state_dict().items()
            }
        )
        return made.to(linear.weight.dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[batch, tokens, inputs]`` to ``[batch, tokens, outputs]``."""
        return super().forward(x.transpose(1, 2).unsqueeze(2)).squeeze(2).transpose(1, 2)


@register_attention("static")
class StaticAttention(Attention):
    """Heads over a cache that is given.

    Args:
        args: of the model.
        layer_id: number of the layer, from 0.
        rope: rotations, common to all layers.
        split_mha: each head has a layer and a cache of its own, all of rank 3; otherwise heads are a dimension.

    Raises:
        ValueError: layers with a window have rotations of their own.
    """

    def __init__(
        self, args: ModelArgs, layer_id: int, rope: Rope, split_mha: bool = True, **_kwargs: Any
    ) -> None:
        super().__init__()
        if args.local_rope_theta is not None:
            raise RefusalError(
                "static attention has one table of rotations: models with local_rope_theta need attention_type mha"
            )
        heads, kv_heads, head_dim = args.n_heads, int(args.n_kv_heads or 0), int(args.head_dim or 0)
        self.layer_id, self.split_mha, self.use_hf_rope = layer_id, split_mha, args.use_hf_rope
        self.n_heads, self.n_kv_heads, self.n_rep, self.head_dim = (
            heads,
            kv_heads,
            heads // kv_heads,
            head_dim,
        )
        self.rotates, self.qk_norm_before_rope = args.rotates(layer_id), args.qk_norm_before_rope
        self.scale, self.softcap, self.rope = args.attention_multiplier, args.attn_logit_softcapping, rope

        self.is_kv_shared_layer = args.is_kv_shared(layer_id)
        self._gives_kv = args.num_kv_shared_layers > 0 and not self.is_kv_shared_layer

        def layers(count: int) -> nn.ModuleList:
            parts, wide = (count, head_dim) if split_mha or not count else (1, count * head_dim)
            return nn.ModuleList(
                nn.Linear(args.dim, wide, bias=args.attention_qkv_bias) for _ in range(parts)
            )

        own = 0 if self.is_kv_shared_layer else kv_heads
        self.wqs, self.wks, self.wvs = layers(heads), layers(own), layers(own)
        self.wo: nn.Module = nn.Linear(heads * head_dim, args.dim, bias=False)
        caches = range(own if split_mha else min(own, 1))
        self.k_caches = nn.ModuleList(StaticKCache(layer_id, head) for head in caches)
        self.v_caches = nn.ModuleList(StaticVCache(layer_id, head) for head in caches)
        self.q_norm, self.k_norm = (
            RMSNorm(head_dim, args.norm_eps, args.rms_norm_add_unit_offset)
            if args.use_qk_norm
            else nn.Identity()
            for _ in range(2)
        )

    @classmethod
    def from_attention_mha(cls, other: AttentionMHA, split_mha: bool = True) -> StaticAttention:
        """With the weights of other attention.

        Raises:
            ValueError: heads with adapters are to be split, queries and keys are rotated, or results have gates.
        """
        if other.use_q_gate:
            raise RefusalError("results of attention have gates (use_q_gate), which static attention has not")
        if other.qk_rotation is not None:
            raise RefusalError(
                "queries and keys are rotated for a cache of few bits, which static attention does not have"
            )
        adapted = [name for name, part in other.named_modules() if isinstance(part, LoRALinear)]
        if split_mha and adapted:
            raise RefusalError(
                f"{', '.join(adapted)} have adapters, which belong to all heads. Way out: split_mha=False"
            )
        made = cls(other.rope.params, other.layer_id, other.rope, split_mha)
        for parts, whole in ((made.wqs, other.wq), (made.wks, other.wk), (made.wvs, other.wv)):
            if whole is not None:
                _load(parts, whole)
        made.wo = copy.deepcopy(other.wo)
        if other.use_qk_norm:
            made.q_norm, made.k_norm = copy.deepcopy(other.q_norm_fn), copy.deepcopy(other.k_norm_fn)
        return made.to(other.wo.weight.dtype)

    def adopt_hf_rope(self) -> None:
        """Turns halves from now on, as Hugging Face's models do: rows of weights go where that gives the same attention."""
        if self.use_hf_rope:
            return
        turned = int(self.head_dim * self.rope.params.partial_rotary_factor)
        order = torch.cat(
            (torch.arange(0, turned, 2), torch.arange(1, turned, 2), torch.arange(turned, self.head_dim))
        )
        with torch.no_grad():
            for part in (*self.wqs, *self.wks):
                _reorder(part, order)
            for norm in (self.q_norm, self.k_norm):
                for weight in norm.parameters():
                    weight.copy_(weight[order])
        self.use_hf_rope = True

    def linear_to_conv2d(self) -> None:
        """Makes its linear layers convolutions of one pixel.

        Raises:
            ValueError: one is no plain linear layer.
        """
        for parts in (self.wqs, self.wks, self.wvs):
            for number, part in enumerate(parts):
                parts[number] = _convolution(part)
        self.wo = _convolution(self.wo)

    def forward(
        self, x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor, **kwargs: Any
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """As the base says.

        Args:
            x: ``[batch, tokens, dim]``.
            freqs_cos, freqs_sin: rows of the tables.
            kwargs: ``masks``, by the length of the cache, ``[1, tokens, cache + tokens]``; ``in_cache_state``, caches of
                keys and of values by their keys; ``out_cache_state``, what former layers have added; ``shared_kv``, as of `AttentionMHA`.

        Returns:
            The same shape, and ``out_cache_state`` with this layer's new keys and values.
        """
        q = self._laid_out(self._rotated(self._heads(self.wqs, x), self.q_norm, freqs_cos, freqs_sin))
        shared, added = kwargs.get("shared_kv"), kwargs.get("out_cache_state")
        if shared is None:
            k, v, added = self._own(x, freqs_cos, freqs_sin, kwargs.get("in_cache_state"), added)
        else:
            k, v = ([part] if isinstance(part, torch.Tensor) else part for part in shared)
        mask = attention_mask(kwargs.get("masks") or {}, k[0].shape[-2] - x.shape[1])
        said: dict[str, Any] = {"out_cache_state": added}
        if self._gives_kv and shared is None:
            said["kv_to_share"] = (k, v)
        return self.wo(self._attended(q, k, v, mask)), said

    def _own(
        self,
        x: torch.Tensor,
        freqs_cos: torch.Tensor,
        freqs_sin: torch.Tensor,
        held: tuple[Caches, Caches] | None,
        added: tuple[Caches, Caches] | None,
    ) -> tuple[list[torch.Tensor], list[torch.Tensor], tuple[Caches, Caches]]:
        """Keys and values behind those of the caches, and what former layers have added with this layer's."""
        if self.is_kv_shared_layer:
            raise ValueError(f"layer {self.layer_id} has no keys and values: give it another's as shared_kv")
        keys, values = held or (None, None)
        new_k = self._laid_out(self._rotated(self._heads(self.wks, x), self.k_norm, freqs_cos, freqs_sin))
        new_v = self._laid_out(self._heads(self.wvs, x))
        before_k, before_v = added or ({}, {})
        return (
            _behind(self.k_caches, new_k, keys),
            _behind(self.v_caches, new_v, values),
            (
                {**before_k, **_named(self.k_caches, new_k)},
                {**before_v, **_named(self.v_caches, new_v)},
            ),
        )

    def _heads(self, parts: nn.ModuleList, x: torch.Tensor) -> list[torch.Tensor]:
        """What each layer gives, ``[batch, tokens, heads, head_dim]``."""
        return [part(x).unflatten(-1, (-1, self.head_dim)) for part in parts]

    def _rotated(
        self, parts: Sequence[torch.Tensor], norm: nn.Module, cos: torch.Tensor, sin: torch.Tensor
    ) -> list[torch.Tensor]:
        turn = hf_apply_rotary_emb_to_k if self.use_hf_rope else apply_rotary_emb_to_k
        found = []
        for part in parts:
            part = norm(part) if self.qk_norm_before_rope else part
            part = turn(part, cos, sin) if self.rotates else part
            found.append(part if self.qk_norm_before_rope else norm(part))
        return found

    def _laid_out(self, parts: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """``[batch, tokens, head_dim]`` of each head, or ``[batch, heads, tokens, head_dim]`` of all."""
        return [part.squeeze(2) if self.split_mha else part.transpose(1, 2) for part in parts]

    def _attended(
        self,
        q: Sequence[torch.Tensor],
        k: Sequence[torch.Tensor],
        v: Sequence[torch.Tensor],
        mask: torch.Tensor,
    ) -> torch.Tensor:
        if self.split_mha:
            heads = [
                attend(part, k[head // self.n_rep], v[head // self.n_rep], mask, self.scale, self.softcap)
                for head, part in enumerate(q)
            ]
            return torch.cat(heads, dim=-1)
        keys, values = (part[0].repeat_interleave(self.n_rep, dim=1) for part in (k, v))
        return attend(q[0], keys, values, mask, self.scale, self.softcap).transpose(1, 2).flatten(2)


@register_attention("static_mha")
class StaticAttentionMHA(StaticAttention):
    """With heads as a dimension."""

    def __init__(
        self, args: ModelArgs, layer_id: int, rope: Rope, split_mha: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(args, layer_id, rope, split_mha, **kwargs)


def transform_attention_mha_to_static_attention(
    model: Transformer,
    split_mha: bool = True,
    inplace: bool = True,
    use_conv2d: bool = False,
    use_hf_rope: bool = False,
) -> Transformer:
    """A decoder whose layers have static attention, with the weights of what they had.

    Args:
        model: without caches of its own.
        split_mha: as of :class:`StaticAttention`.
        inplace: it is the model itself, not a copy.
        use_conv2d: linear layers of attention become convolutions.
        use_hf_rope: :meth:`StaticAttention.adopt_hf_rope`.

    Raises:
        ValueError: the model has caches, or layers that carry a state instead, or what
            :meth:`StaticAttention.from_attention_mha` refuses.
    """
    states = [number for number in range(model.n_layers) if model.params.carries_state(number)]
    if states:
        raise RefusalError(
            f"layers {states} carry a state from call to call, which static attention has no inputs and outputs for"
        )
    made = model if inplace else copy.deepcopy(model)
    for layer in made.layers:
        attention = layer.attention
        if not isinstance(attention, AttentionMHA):
            continue
        if attention.use_kv_cache:
            raise ValueError(
                "static attention takes caches as inputs: make the model with use_kv_cache=False"
            )
        static = StaticAttention.from_attention_mha(attention, split_mha).train(attention.training)
        if use_hf_rope:
            static.adopt_hf_rope()
        if use_conv2d:
            static.linear_to_conv2d()
        layer.attention = static
    return made


def _behind(caches: nn.ModuleList, new: Sequence[torch.Tensor], held: Caches | None) -> list[torch.Tensor]:
    return [_cache(cache).with_cache(part, held) for cache, part in zip(caches, new, strict=True)]


def _named(caches: nn.ModuleList, new: Sequence[torch.Tensor]) -> Mapping[str, torch.Tensor]:
    return {_cache(cache).cache_key: part for cache, part in zip(caches, new, strict=True)}


def _cache(module: nn.Module) -> StaticKVCache:
    assert isinstance(module, StaticKVCache)
    return module


def _load(parts: nn.ModuleList, whole: nn.Module) -> None:
    """Rows of a layer into layers of some rows each; or the layer itself, adapter and all."""
    if len(parts) == 1:
        parts[0] = copy.deepcopy(whole)
        return
    split = {name: value.chunk(len(parts)) for name, value in whole.state_dict().items()}
    for number, part in enumerate(parts):
        part.load_state_dict({name: rows[number] for name, rows in split.items()})


def _reorder(part: nn.Module, order: torch.Tensor) -> None:
    """Rows of each head in another order."""
    if isinstance(part, LoRALinear):
        _reorder(part.linear, order)
        _reorder(part.lora_b, order)
        return
    for value in part.parameters():
        value.copy_(value.unflatten(0, (-1, len(order)))[:, order].flatten(0, 1))


def _convolution(part: nn.Module) -> nn.Module:
    if isinstance(part, PointwiseConvolution):
        return part
    if not isinstance(part, nn.Linear):
        raise ValueError(f"linear_to_conv2d takes linear layers, not {type(part).__name__}")
    return PointwiseConvolution.of(part)
