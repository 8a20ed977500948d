"""Caches in int8: ``[batch, positions, heads, head_dim]``, a scale and a zero point for each token of each head."""

from __future__ import annotations

import enum
from typing import Any

import torch
from torch import nn
from torch.ao.quantization.fx import _decomposed  # noqa: F401  # registers torch.ops.quantized_decomposed

from executorch.extension.llm.cache.custom_kv_cache import CustomRing, start_of, write, write_plainly
from executorch.extension.llm.cache.untouched import untouched_zeros
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401

_LOWEST, _HIGHEST = -128, 127


class QuantizedCacheType(enum.Enum):
    """How values of a cache are quantized."""

    AffineSymmetric = 0
    AffineAsymmetric = 1
    AffineSymmetricGroupWise = 2
    AffineAsymmetricGroupWise = 3


def by_token(values: torch.Tensor, is_asymmetric: bool) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Floats as int8 of the same shape, with float32 scales and int8 zero points of ``[..., 1]``."""
    ops = torch.ops.quantized_decomposed
    choose = ops.choose_qparams_per_token_asymmetric if is_asymmetric else ops.choose_qparams_per_token
    scales, zero_points = choose.default(values, torch.int8)
    scales, zero_points = scales.to(torch.float32), zero_points.to(torch.int8)
    quantized = ops.quantize_per_token.default(values, scales, zero_points, _LOWEST, _HIGHEST, torch.int8)
    return quantized, scales, zero_points


class QuantizedKVCache(nn.Module):
    """Keys and values of all positions up to a bound, in int8.

    Args:
        max_batch_size, max_context_length, n_heads, head_dim: sizes of the caches.
        cache_type: symmetric, without zero points, or asymmetric.
        use_custom_update_cache_op: written with ``torch.ops.llama.update_cache``, otherwise with operators of PyTorch.
        return_float_values: ``update`` gives floats, for attention over such, otherwise the caches.

    Scales stay float32 in a model of another dtype.

    Raises:
        ValueError: for quantization by groups.
    """

    k_cache: torch.Tensor
    v_cache: torch.Tensor

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        cache_type: QuantizedCacheType = QuantizedCacheType.AffineSymmetric,
        use_custom_update_cache_op: bool = False,
        return_float_values: bool = True,
    ) -> None:
        super().__init__()
        if cache_type not in (QuantizedCacheType.AffineSymmetric, QuantizedCacheType.AffineAsymmetric):
            raise ValueError(
                f"Only affine symmetric and asymmetric cache types are supported: got {cache_type}; a cache has one scale "
                "for each token and head"
            )
        self.max_batch_size, self.max_context_length = max_batch_size, max_context_length
        self.n_heads, self.head_dim = n_heads, head_dim
        self.use_custom_update_cache_op, self.return_float_values = (
            use_custom_update_cache_op,
            return_float_values,
        )
        self.quantized_cache_dtype, self.cache_fp_type = torch.int8, torch.float32
        self.cache_type = cache_type
        shape = (max_batch_size, max_context_length, n_heads, head_dim)
        for name in ("k", "v"):
            self.register_buffer(f"{name}_cache", untouched_zeros(shape, torch.int8))
            self.register_buffer(f"{name}_cache_scales", torch.ones((*shape[:3], 1)))
            if self.is_asymmetric:
                # Of zeros, so that what was not written is zero.
                zero_points = torch.zeros((*shape[:3], 1), dtype=torch.int8)
                self.register_buffer(f"{name}_cache_zero_points", zero_points)

    @property
    def is_asymmetric(self) -> bool:
        """Whether there are zero points."""
        return self.cache_type is QuantizedCacheType.AffineAsymmetric

    def update(
        self,
        input_pos: torch.Tensor,
        k_val: torch.Tensor,
        v_val: torch.Tensor,
        indices: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Quantizes keys and values by token and writes them.

        Args:
            input_pos: positions, consecutive: the first counts; without the custom operator each.
            k_val, v_val: float of ``[batch, heads, tokens, head_dim]``.
            indices: places for each row of the batch and token in their stead, int64 of ``[batch, tokens]``.

        Returns:
            Both caches as ``[batch, heads, positions, head_dim]``, whole: views of int8, or floats of the new tokens' dtype, in which
            these have the values that they were given with.
        """
        bound = self.max_context_length if indices is None else None
        start = start_of(input_pos, k_val.shape[2], bound) if self.use_custom_update_cache_op else 0
        new = {"k": k_val.transpose(1, 2), "v": v_val.transpose(1, 2)}
        for name, value in new.items():
            for cache, part in self._quantized(name, value):
                self._write(cache, part, input_pos, start, indices)
        if not self.return_float_values:
            return self.k_cache.transpose(1, 2), self.v_cache.transpose(1, 2)
        results = []
        for name, value in new.items():
            whole = self._floats(name)
            self._write(whole, value.to(whole.dtype), input_pos, start, indices)
            results.append(whole.transpose(1, 2).to(value.dtype))
        return results[0], results[1]

    @classmethod
    def from_float(
        cls, kv_cache: Any, cache_type: QuantizedCacheType, use_custom_update_cache_op: bool = False
    ) -> QuantizedKVCache:
        """A cache of the sizes of one of floats, of ``KVCache`` or ``CustomKVCache``."""
        batch, heads, head_dim = kv_cache.max_batch_size, kv_cache.n_heads, kv_cache.head_dim
        return cls(
            batch, kv_cache.max_context_length, heads, head_dim, cache_type, use_custom_update_cache_op
        )

    def _apply(self, fn: Any, recurse: bool = True) -> QuantizedKVCache:
        super()._apply(fn, recurse)
        for name in ("k_cache_scales", "v_cache_scales"):
            setattr(self, name, getattr(self, name).to(self.cache_fp_type))
        return self

    def _quantized(self, name: str, value: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Buffers of the keys or values, and what goes there."""
        quantized, scales, zero_points = by_token(value.to(self.cache_fp_type), self.is_asymmetric)
        parts = {"": quantized, "_scales": scales}
        if self.is_asymmetric:
            parts["_zero_points"] = zero_points
        return [(getattr(self, f"{name}_cache{part}"), new) for part, new in parts.items()]

    def _floats(self, name: str) -> torch.Tensor:
        cache, scales = getattr(self, f"{name}_cache"), getattr(self, f"{name}_cache_scales")
        zero_points = (
            getattr(self, f"{name}_cache_zero_points").to(
                torch.int64
            )  # int8 would overflow where it is taken away
            if self.is_asymmetric
            else torch.zeros_like(scales, dtype=torch.int64)
        )
        dequantize = torch.ops.quantized_decomposed.dequantize_per_token.default
        values: torch.Tensor = dequantize(
            cache, scales, zero_points, _LOWEST, _HIGHEST, torch.int8, self.cache_fp_type
        )
        return values

    def _write(
        self,
        cache: torch.Tensor,
        value: torch.Tensor,
        input_pos: torch.Tensor,
        start: int,
        indices: torch.Tensor | None,
    ) -> None:
        if self.use_custom_update_cache_op:
            write(value, cache, start, indices)
        else:
            write_plainly(value, cache, input_pos, indices)


class QuantizedRingKVCache(CustomRing, QuantizedKVCache):
    """Keys and values of a window of positions in int8, in a ring of twice as many places.

    Args:
        max_context_length: of the window; the others as of :class:`QuantizedKVCache`.
    """

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        cache_type: QuantizedCacheType = QuantizedCacheType.AffineSymmetric,
        use_custom_update_cache_op: bool = False,
        return_float_values: bool = True,
    ) -> None:
        super().__init__(
            max_batch_size,
            self.places_for(max_context_length),
            n_heads,
            head_dim,
            cache_type,
            use_custom_update_cache_op,
            return_float_values,
        )
        self.keep_window(max_context_length)

    @classmethod
    def from_quantized_kv_cache(
        cls, kv_cache: QuantizedKVCache, sliding_window_size: int
    ) -> QuantizedRingKVCache:
        """A ring for a window, in all else like a cache."""
        return cls(
            kv_cache.max_batch_size,
            sliding_window_size,
            kv_cache.n_heads,
            kv_cache.head_dim,
            kv_cache.cache_type,
            kv_cache.use_custom_update_cache_op,
            kv_cache.return_float_values,
        )
