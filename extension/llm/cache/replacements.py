"""The caches of a model exchanged for others, in place, before export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from executorch.extension.llm.cache.custom_kv_cache import (
    CustomKVCache,
    CustomKVCacheWithAttentionSink,
    CustomRingKVCache,
)
from executorch.extension.llm.cache.kv_cache import KVCache, KVCacheWithAttentionSink, RingKVCache
from executorch.extension.llm.cache.quantized_kv_cache import (
    QuantizedCacheType,
    QuantizedKVCache,
    QuantizedRingKVCache,
)
from executorch.extension.llm.cache.static_quantized_kv_cache import DEFAULT_SCALE, StaticQuantizedKVCache


def replace_kv_cache_with_custom_kv_cache(module: nn.Module) -> nn.Module:
    """``KVCache`` everywhere in a model becomes ``CustomKVCache`` of the same sizes and dtype, one that keeps the first tokens
    ``CustomKVCacheWithAttentionSink``; returns the model."""

    def make(cache: Any) -> nn.Module | None:
        if isinstance(cache, KVCacheWithAttentionSink):
            kept = (cache.window_size, cache.sink_size, cache.k_cache.dtype)
            return CustomKVCacheWithAttentionSink(cache.max_batch_size, cache.n_heads, cache.head_dim, *kept)
        if not isinstance(cache, KVCache) or isinstance(cache, RingKVCache):
            return None
        sizes = (cache.max_batch_size, cache.max_context_length, cache.n_heads, cache.head_dim)
        return CustomKVCache(*sizes, dtype=cache.k_cache.dtype)

    return _replaced(module, make)


def replace_kv_cache_with_quantized_kv_cache(module: nn.Module) -> nn.Module:
    """``KVCache`` and ``CustomKVCache`` everywhere in a model become asymmetric int8 ones; returns the model."""

    def make(cache: Any) -> nn.Module | None:
        if not isinstance(cache, KVCache | CustomKVCache) or hasattr(cache, "is_ring_buffer"):
            return None
        return QuantizedKVCache.from_float(
            cache, QuantizedCacheType.AffineAsymmetric, use_custom_update_cache_op=True
        )

    return _replaced(module, make)


def replace_kv_cache_with_static_quantized_kv_cache(
    module: nn.Module, scale: float = DEFAULT_SCALE, use_custom_update_cache_op: bool = True
) -> nn.Module:
    """``KVCache`` and ``CustomKVCache`` everywhere in a model become int8 ones of one scale; returns the model.

    Raises:
        ValueError: a cache keeps a window only.
    """

    def make(cache: Any) -> nn.Module | None:
        if not isinstance(cache, KVCache | CustomKVCache):
            return None
        if hasattr(cache, "is_ring_buffer"):
            raise ValueError(
                f"{type(cache).__name__} has no form with static scales: windows and sinks keep floats, or int8 with a scale "
                "for each token (quantize_kv_cache)"
            )
        return StaticQuantizedKVCache.from_float(cache, scale, use_custom_update_cache_op)

    return _replaced(module, make)


def replace_kv_cache_with_ring_kv_cache(module: nn.Module, layer_sizes: Sequence[int]) -> nn.Module:
    """Gives layers with local attention a ring; returns the model.

    Args:
        module: a transformer with ``layers``, each of which has an ``attention`` with a ``kv_cache``.
        layer_sizes: the window of each layer, 0 where a layer sees everything; repeated if there are more layers.

    Raises:
        ValueError: no window is given, or a cache is none of this room.
    """
    if not layer_sizes:
        raise ValueError(
            "layer_sizes is empty: give the window of each layer, 0 for a layer that sees everything"
        )
    for number, layer in enumerate(module.layers):  # type: ignore[arg-type]
        window = layer_sizes[number % len(layer_sizes)]
        if window:
            layer.attention.kv_cache = _ring(layer.attention.kv_cache, window)
    return module


def _ring(cache: Any, window: int) -> nn.Module:
    if isinstance(cache, QuantizedKVCache):
        return QuantizedRingKVCache.from_quantized_kv_cache(cache, window)
    if isinstance(cache, CustomKVCache):
        return CustomRingKVCache.from_custom_kv_cache(cache, window)
    if isinstance(cache, KVCache):
        sizes = (cache.max_batch_size, window, cache.n_heads, cache.head_dim)
        return RingKVCache(*sizes, cache.enable_dynamic_shape, cache.k_cache.dtype)
    raise ValueError(
        f"{type(cache).__name__} has no ring: replace it by KVCache, CustomKVCache or QuantizedKVCache first"
    )


def _replaced(module: nn.Module, make: Callable[[Any], nn.Module | None]) -> nn.Module:
    for name, child in module.named_children():
        new = make(child)
        if new is None:
            _replaced(child, make)
        else:
            setattr(module, name, new)
    return module
