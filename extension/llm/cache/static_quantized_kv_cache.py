"""Caches in int8 with scales that were chosen before export, for backends that take no others: ``[batch, positions, heads, head_dim]``."""

from __future__ import annotations

import logging
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.cache.custom_kv_cache import start_of, write, write_plainly
from executorch.extension.llm.cache.untouched import untouched_zeros

#: Scale of values between -1 and 1.
DEFAULT_SCALE = 1 / 127

_HIGHEST = 127

_log = logging.getLogger(__name__)


class StaticQuantizedKVCache(nn.Module):
    """Keys and values of all positions up to a bound, in int8 without zero points, with a scale for each place of a head.

    Args:
        max_batch_size, max_context_length, n_heads, head_dim: sizes of the caches.
        scale: of all, unless they are calibrated.
        use_custom_update_cache_op: written with ``torch.ops.llama.update_cache``, otherwise with operators of PyTorch.
        return_float_values: ``update`` gives floats, otherwise the caches.
        dtype: of scales and floats.

    Attributes:
        calibration_enabled: values are observed, and kept as they are.
        k_calibration_cache, v_calibration_cache: where; None at other times.
    """

    k_cache: torch.Tensor
    v_cache: torch.Tensor
    k_cache_scales: torch.Tensor
    v_cache_scales: torch.Tensor
    k_calibration_cache: torch.Tensor | None
    v_calibration_cache: torch.Tensor | None

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        scale: float = DEFAULT_SCALE,
        use_custom_update_cache_op: bool = True,
        return_float_values: bool = True,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.max_batch_size, self.max_context_length = max_batch_size, max_context_length
        self.n_heads, self.head_dim = n_heads, head_dim
        self.use_custom_update_cache_op, self.return_float_values = (
            use_custom_update_cache_op,
            return_float_values,
        )
        self.quantized_cache_dtype, self.calibration_enabled = torch.int8, False
        shape = (max_batch_size, max_context_length, n_heads, head_dim)
        for name in ("k", "v"):
            self.register_buffer(f"{name}_cache", untouched_zeros(shape, torch.int8))
            scales = torch.full((1, 1, 1, head_dim), scale, dtype=dtype)
            self.register_buffer(f"{name}_cache_scales", scales)
            self.register_buffer(f"{name}_calibration_cache", None, persistent=False)

    @classmethod
    def from_float(
        cls, kv_cache: Any, scale: float = DEFAULT_SCALE, use_custom_update_cache_op: bool = True
    ) -> StaticQuantizedKVCache:
        """A cache of the sizes and the dtype of one of floats, of ``KVCache`` or ``CustomKVCache``."""
        sizes = (kv_cache.max_batch_size, kv_cache.max_context_length, kv_cache.n_heads, kv_cache.head_dim)
        return cls(*sizes, scale, use_custom_update_cache_op, dtype=kv_cache.k_cache.dtype)

    def enable_calibration(self) -> None:
        """From now on values are observed: attention sees them as they are."""
        self.calibration_enabled = True
        for name in ("k", "v"):
            cache, scales = getattr(self, f"{name}_cache"), getattr(self, f"{name}_cache_scales")
            setattr(self, f"{name}_calibration_cache", torch.zeros_like(cache, dtype=scales.dtype))

    def finalize_calibration(self) -> None:
        """Chooses scales by the largest of what was observed, and forgets it.

        Raises:
            RuntimeError: nothing was observed, since :meth:`enable_calibration` was not called.
        """
        if not self.calibration_enabled:
            raise RuntimeError("no values were observed: call enable_calibration(), and run the model")
        self.calibration_enabled = False
        for name in ("k", "v"):
            seen, scales = getattr(self, f"{name}_calibration_cache"), getattr(self, f"{name}_cache_scales")
            least = torch.finfo(scales.dtype).tiny
            found = seen.abs().amax(dim=(0, 1, 2), keepdim=True) / _HIGHEST
            if bool((found == 0).any()):
                _log.warning(
                    "calibration found an all-zero K/V channel in %s_cache: whatever comes there later is cut to nothing",
                    name,
                )
            scales.copy_(found.clamp(min=least))
            getattr(self, f"{name}_cache").zero_()
            setattr(self, f"{name}_calibration_cache", None)

    def update(
        self,
        input_pos: torch.Tensor,
        k_val: torch.Tensor,
        v_val: torch.Tensor,
        indices: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Quantizes keys and values and writes them.

        Args:
            input_pos: positions, consecutive: the first counts; without the custom operator each.
            k_val, v_val: float of ``[batch, heads, tokens, head_dim]``.
            indices: places for each row of the batch and token in their stead, int64 of ``[batch, tokens]``.

        Returns:
            Both caches as ``[batch, heads, positions, head_dim]``, whole: views of int8, or of the values' dtype.
        """
        is_plain = not self.use_custom_update_cache_op or self.calibration_enabled
        bound = self.max_context_length if indices is None else None
        start = 0 if is_plain else start_of(input_pos, k_val.shape[2], bound)
        results = []
        for name, value in (("k", k_val.transpose(1, 2)), ("v", v_val.transpose(1, 2))):
            if self.calibration_enabled:
                seen = getattr(self, f"{name}_calibration_cache")
                write_plainly(value.to(seen.dtype), seen, input_pos, indices)
                results.append(seen.to(value.dtype).transpose(1, 2))
                continue
            cache, scales = getattr(self, f"{name}_cache"), getattr(self, f"{name}_cache_scales")
            quantized = torch.clamp(torch.round(value / scales), -_HIGHEST, _HIGHEST).to(torch.int8)
            if is_plain:
                write_plainly(quantized, cache, input_pos, indices)
            else:
                write(quantized, cache, start, indices)
            whole = cache.to(value.dtype) * scales.to(value.dtype) if self.return_float_values else cache
            results.append(whole.transpose(1, 2))
        return results[0], results[1]


def enable_static_kv_cache_calibration(module: nn.Module) -> nn.Module:
    """Every such cache of a model observes its values; returns the model."""
    for cache in _caches(module):
        cache.enable_calibration()
    return module


def finalize_static_kv_cache_calibration(module: nn.Module) -> nn.Module:
    """Every such cache of a model has scales of what it observed; returns the model."""
    for cache in _caches(module):
        cache.finalize_calibration()
    return module


def _caches(module: nn.Module) -> list[StaticQuantizedKVCache]:
    return [one for one in module.modules() if isinstance(one, StaticQuantizedKVCache)]
