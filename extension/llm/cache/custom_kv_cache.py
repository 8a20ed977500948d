"""Caches written with ``torch.ops.llama.update_cache``, in place at run time: ``[batch, positions, heads, head_dim]``."""

from __future__ import annotations

import torch
from torch import nn

from executorch.extension.llm.cache.positions import Ring
from executorch.extension.llm.cache.untouched import untouched_zeros
from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401


def write(value: torch.Tensor, cache: torch.Tensor, start: int, places: torch.Tensor | None = None) -> None:
    """Writes consecutive positions from ``start`` on, or those that ``places`` names for each row of the batch."""
    if places is None:
        torch.ops.llama.update_cache(value, cache, start)
    else:
        torch.ops.llama.update_cache_with_indices(value, cache, start, places)


def write_plainly(
    value: torch.Tensor, cache: torch.Tensor, input_pos: torch.Tensor, places: torch.Tensor | None = None
) -> None:
    """The same with operators of PyTorch: at each of ``input_pos``, or at ``places``."""
    if places is None:
        cache.index_copy_(1, input_pos, value)
        return
    rows = torch.arange(value.shape[0], device=value.device).unsqueeze(1)
    cache.index_put_((rows, places), value)


def start_of(input_pos: torch.Tensor, tokens: int, bound: int | None) -> int:
    """The first of some positions as a number; a check for export that all lie below ``bound``, where there is one."""
    start: int = input_pos[0].item()  # type: ignore[assignment]  # a symbol in export
    torch._check(start >= 0)
    if bound is not None:
        torch._check(start < bound)
        torch._check(start + tokens <= bound)
    return start


class CustomKVCache(nn.Module):
    """Keys and values of all positions up to a bound.

    Args:
        max_batch_size, max_context_length, n_heads, head_dim: sizes of the caches.
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
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        self.max_batch_size, self.max_context_length = max_batch_size, max_context_length
        self.n_heads, self.head_dim = n_heads, head_dim
        shape = (max_batch_size, max_context_length, n_heads, head_dim)
        self.register_buffer("k_cache", untouched_zeros(shape, dtype))
        self.register_buffer("v_cache", untouched_zeros(shape, dtype))

    def update(
        self,
        input_pos: torch.Tensor,
        k_val: torch.Tensor,
        v_val: torch.Tensor,
        indices: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Writes keys and values.

        Args:
            input_pos: positions, consecutive: the first counts.
            k_val, v_val: ``[batch, heads, tokens, head_dim]``.
            indices: places for each row of the batch and token in their stead, int64 of ``[batch, tokens]``.

        Returns:
            Views of both caches as ``[batch, heads, positions, head_dim]``, whole.
        """
        bound = self.max_context_length if indices is None else None
        start = start_of(input_pos, k_val.shape[2], bound)
        write(k_val.transpose(1, 2), self.k_cache, start, indices)
        write(v_val.transpose(1, 2), self.v_cache, start, indices)
        return self.k_cache.transpose(1, 2), self.v_cache.transpose(1, 2)


class CustomRing(Ring):
    """Of caches that say for each row of the batch where tokens go."""

    def update(
        self,
        input_pos: torch.Tensor,
        k_val: torch.Tensor,
        v_val: torch.Tensor,
        indices: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """As the other base's; where tokens go is the ring's business.

        Raises:
            ValueError: if ``indices`` are given.
        """
        if indices is not None:
            raise ValueError("a ring places tokens itself: leave indices out")
        places = self.cache_positions_manager.calculate_positions_and_update_indices(
            input_pos, k_val.shape[2]
        )
        of_rows = places.unsqueeze(0).expand(k_val.shape[0], -1)
        written: tuple[torch.Tensor, torch.Tensor] = super().update(input_pos, k_val, v_val, of_rows)  # type: ignore[misc]
        return written


class CustomRingKVCache(CustomRing, CustomKVCache):
    """Keys and values of a window of positions, in a ring of twice as many places.

    Args:
        max_context_length: of the window.
    """

    def __init__(
        self,
        max_batch_size: int,
        max_context_length: int,
        n_heads: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(max_batch_size, self.places_for(max_context_length), n_heads, head_dim, dtype)
        self.keep_window(max_context_length)

    @classmethod
    def from_custom_kv_cache(cls, kv_cache: CustomKVCache, sliding_window_size: int) -> CustomRingKVCache:
        """A ring for a window, with the other sizes and the dtype of a cache."""
        return cls(
            kv_cache.max_batch_size,
            sliding_window_size,
            kv_cache.n_heads,
            kv_cache.head_dim,
            kv_cache.k_cache.dtype,
        )


class CustomKVCacheWithAttentionSink(CustomRing, CustomKVCache):
    """Keys and values of the first tokens, which all later ones see, and of a window, in a ring of twice as many places.

    Args:
        window_size: of the window.
        sink_size: how many of the first tokens are kept.
    """

    def __init__(
        self,
        max_batch_size: int,
        n_heads: int,
        head_dim: int,
        window_size: int,
        sink_size: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(max_batch_size, self.places_for(window_size, sink_size), n_heads, head_dim, dtype)
        self.keep_window(window_size, sink_size)
