"""Attention over caches by the operators ``torch.ops.llama.*``, and its exchange in a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.cache.quantized_kv_cache import QuantizedKVCache, by_token
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
from executorch.extension.llm.models.attention import SDPA


class SDPACustom(nn.Module):
    """By ``custom_sdpa``, which needs no mask where every earlier position is seen.

    Args:
        dim: of all heads together.
        use_attention_mask: takes a mask, as caches that are rings need.
        scale: of products; `1 / sqrt(head_dim)` by default.
    """

    def __init__(self, dim: int, use_attention_mask: bool = False, scale: float | None = None) -> None:
        super().__init__()
        self.dim, self.use_attention_mask, self.scale = dim, use_attention_mask, scale

    @property
    def needs_mask(self) -> bool:
        """Whether a call has to be given one."""
        return self.use_attention_mask

    def forward(
        self,
        input_pos: torch.Tensor,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        bsz: int,
        seqlen: int,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """As :class:`~executorch.extension.llm.models.attention.SDPA`, in float32 inside."""
        turned = (one.transpose(1, 2).to(torch.float32) for one in (q, k, v))
        start = input_pos[0].item()
        torch._check(start >= 0)
        y: torch.Tensor = torch.ops.llama.custom_sdpa(
            *turned, start, *_seen(self.use_attention_mask, mask), scale=self.scale
        )
        return y.reshape(bsz, seqlen, self.dim).to(q.dtype)


class SDPASimple(nn.Module):
    """By products and a softmax, for backends without an operator of attention; ``dim``, ``head_dim`` and ``n_rep`` as of
    :class:`~executorch.extension.llm.models.attention.SDPA`."""

    def __init__(self, dim: int, head_dim: int, n_rep: int) -> None:
        super().__init__()
        self.dim, self.head_dim, self.n_rep = dim, head_dim, n_rep

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
        """As :class:`~executorch.extension.llm.models.attention.SDPA`; the mask is added to the products."""
        del input_pos
        k, v = k.repeat_interleave(self.n_rep, dim=1), v.repeat_interleave(self.n_rep, dim=1)
        products = q @ k.transpose(-2, -1) * self.head_dim**-0.5 + mask
        y = torch.softmax(products, dim=-1) @ v
        return y.transpose(1, 2).reshape(bsz, seqlen, self.dim)


class QuantizedSDPA(nn.Module):
    """By ``custom_quantized_sdpa``, over an int8 cache, without making floats of it.

    Args:
        dim: of all heads together.
        kv_cache: asymmetric; gives bytes (``return_float_values`` is off).
        use_attention_mask: as of :class:`SDPACustom`.
    """

    needs_mask = SDPACustom.needs_mask

    def __init__(self, dim: int, kv_cache: QuantizedKVCache, use_attention_mask: bool = False) -> None:
        super().__init__()
        if not kv_cache.is_asymmetric:
            raise ValueError("quantized attention needs zero points: a cache of AffineAsymmetric")
        self.dim, self.use_attention_mask = dim, use_attention_mask
        # Not as a submodule: the attention has it as one, and an export would see its buffers twice.
        self._cache = (kv_cache,)
        self.quantized_dtype, self.float_dtype = torch.int8, torch.float32

    @property
    def kv_cache(self) -> QuantizedKVCache:
        """The cache whose scales and zero points are used."""
        return self._cache[0]

    def forward(
        self,
        input_pos: torch.Tensor,
        q: torch.Tensor,
        k_quantized: torch.Tensor,
        v_quantized: torch.Tensor,
        bsz: int,
        seqlen: int,
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """As :class:`SDPACustom`, of int8 keys and values."""
        query, scales, zero_points = by_token(q.transpose(1, 2).to(torch.float32), is_asymmetric=True)
        start = input_pos[0].item()
        torch._check(start >= 0)
        y: torch.Tensor = torch.ops.llama.custom_quantized_sdpa(
            query,
            k_quantized.transpose(1, 2),
            v_quantized.transpose(1, 2),
            start,
            *_seen(self.use_attention_mask, mask),
            scale=None,
            q_zero_points=zero_points,
            q_scales=scales,
            k_zero_points=self.kv_cache.k_cache_zero_points,
            k_scales=self.kv_cache.k_cache_scales,
            v_zero_points=self.kv_cache.v_cache_zero_points,
            v_scales=self.kv_cache.v_cache_scales,
        )
        return y.reshape(bsz, seqlen, self.dim).to(q.dtype)


def _seen(use_attention_mask: bool, mask: torch.Tensor | None) -> tuple[torch.Tensor | None, float, bool]:
    """Mask, dropout and whether attention is causal, as the operators take them."""
    if not use_attention_mask:
        return None, 0.0, True
    if mask is not None and mask.dtype == torch.bool:
        mask = torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, float("-inf"))
    return mask, 0.0, False


def replace_sdpa_with_custom_op(module: nn.Module, use_attention_mask: bool = False) -> nn.Module:
    """``SDPA`` everywhere in a model becomes ``SDPACustom``; returns the model."""

    def make(parent: nn.Module, child: nn.Module) -> nn.Module | None:
        # The operator has no cap: such attention stays as it is, over whatever cache.
        if not isinstance(child, SDPA) or child.softcap is not None:
            return None
        is_ring = bool(getattr(getattr(parent, "kv_cache", None), "is_ring_buffer", False))
        return SDPACustom(child.dim, use_attention_mask or is_ring, child.scale)

    return _replaced(module, make)


def replace_sdpa_with_simple_sdpa(module: nn.Module) -> nn.Module:
    """``SDPA`` without a cap or a scale of its own, everywhere in a model, becomes ``SDPASimple``; returns the model."""

    def make(parent: nn.Module, child: nn.Module) -> nn.Module | None:
        del parent
        if not isinstance(child, SDPA) or child.softcap is not None or child.scale is not None:
            return None
        return SDPASimple(child.dim, child.head_dim, child.n_rep)

    return _replaced(module, make)


def replace_sdpa_with_quantized_sdpa(module: nn.Module) -> nn.Module:
    """``SDPACustom`` beside an int8 cache becomes ``QuantizedSDPA``, and the cache gives bytes; returns the model."""

    def make(parent: nn.Module, child: nn.Module) -> nn.Module | None:
        cache: Any = getattr(parent, "kv_cache", None)
        if (
            not isinstance(child, SDPACustom)
            or not isinstance(cache, QuantizedKVCache)
            or child.scale is not None
        ):
            return None
        cache.return_float_values = False
        return QuantizedSDPA(child.dim, cache, child.use_attention_mask)

    return _replaced(module, make)


def _replaced(module: nn.Module, make: Callable[[nn.Module, nn.Module], nn.Module | None]) -> nn.Module:
    for name, child in module.named_children():
        new = make(module, child)
        if new is None:
            _replaced(child, make)
        else:
            setattr(module, name, new)
    return module
