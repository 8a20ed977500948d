"""Caches written with operators of PyTorch alone: ``[batch, heads, positions, head_dim]``."""

from __future__ import annotations

import torch
from torch import nn

from executorch.extension.llm.cache.positions import Ring
from executorch.extension.llm.cache.untouched import untouched_zeros


class KVCache(nn.Module):
    """Keys and values of all positions up to a bound.

    Args:
        max_batch_size, max_context_length, n_heads, head_dim: sizes of the caches.
        enable_dynamic_shape: the tokens of a call are consecutive from the first position given on, and may be any number;
            otherwise each token has a position given.
        dtype: of the caches.
    """

    k_cache: torch.Tensor
    v_cache: torch.Tensor

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        enable_dynamic_shape: bool,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.max_batch_size, self.max_context_length = max_batch_size, max_context_length
        self.n_heads, self.head_dim = n_heads, head_dim
        self.enable_dynamic_shape = enable_dynamic_shape
        shape = (max_batch_size, n_heads, max_context_length, head_dim)
        self.register_buffer("k_cache", untouched_zeros(shape, dtype))
        self.register_buffer("v_cache", untouched_zeros(shape, dtype))

    def update(
        self, input_pos: torch.Tensor, k_val: torch.Tensor, v_val: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes keys and values.

        Args:
            input_pos: positions, int64; the first counts if shapes are dynamic.
            k_val, v_val: ``[batch, heads, tokens, head_dim]``.

        Returns:
            Both caches, whole.
        """
        return self._write(self._places(input_pos, k_val.shape[2]), k_val, v_val)

    def _places(self, input_pos: torch.Tensor, tokens: int) -> torch.Tensor:
        if not self.enable_dynamic_shape:
            return input_pos
        start = input_pos[0].item()
        torch._check(start >= 0)
        torch._check(start + tokens <= self.max_context_length)
        return torch.arange(tokens, dtype=torch.int64, device=input_pos.device) + start

    def _write(
        self, places: torch.Tensor, k_val: torch.Tensor, v_val: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        self.k_cache.index_copy_(2, places, k_val)
        self.v_cache.index_copy_(2, places, v_val)
        return self.k_cache, self.v_cache


class _Ring(Ring, KVCache):
    def _places(self, input_pos: torch.Tensor, tokens: int) -> torch.Tensor:
        return self.cache_positions_manager.calculate_positions_and_update_indices(input_pos, tokens)


class RingKVCache(_Ring):
    """Keys and values of a window of positions, in a ring of twice as many places; arguments as of :class:`KVCache`."""

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        enable_dynamic_shape: bool,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        places = self.places_for(max_context_length)
        super().__init__(max_batch_size, places, n_heads, head_dim, enable_dynamic_shape, dtype)
        self.keep_window(max_context_length)


class KVCacheWithAttentionSink(_Ring):
    """Keys and values of the first tokens, which all later ones see, and of a window, in a ring of twice as many places.

    Args:
        n_heads, head_dim, enable_dynamic_shape, max_batch_size, dtype: as of :class:`KVCache`.
        rope: of the model; positions that have gone around are its business.
        window_size: of the window.
        sink_size: how many of the first tokens are kept.
    """

    def __init__(
        self,
        n_heads: int,
        head_dim: int,
        enable_dynamic_shape: bool,
        rope: nn.Module,
        window_size: int,
        sink_size: int,
        max_batch_size: int = 1,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        del rope
        places = self.places_for(window_size, sink_size)
        super().__init__(max_batch_size, places, n_heads, head_dim, enable_dynamic_shape, dtype)
        self.keep_window(window_size, sink_size)

    def evict_tokens(self, input_pos: torch.Tensor, seq_len: int) -> int:
        """By how much positions move when a call is to come: the ring overwrites, so 0."""
        del input_pos, seq_len
        return 0
