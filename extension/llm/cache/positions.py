"""Which position each place of a cache holds where a cache is shorter than the text, and who sees whom."""

from __future__ import annotations

import enum

import torch
from torch import nn


class CacheUpdateStrategy(enum.Enum):
    """How a cache goes on when it is full."""

    RING_BUFFER = "RingBuffer"
    INVALID = "Invalid"


class CachePositionsManager(nn.Module):
    """Keeps the position of the token that each of a ring's places holds, -1 where it holds none.

    A ring that holds as many places as two windows never loses what the first token of a call of up to a window's length sees.

    Args:
        max_context_length: places of the ring.
        cache_update_strategy: only a ring is supported.

    Raises:
        ValueError: for another strategy.
    """

    cache_positions: torch.Tensor

    def __init__(
        self,
        max_context_length: int,
        cache_update_strategy: CacheUpdateStrategy = CacheUpdateStrategy.RING_BUFFER,
    ) -> None:
        super().__init__()
        if cache_update_strategy is not CacheUpdateStrategy.RING_BUFFER:
            raise ValueError(f"{cache_update_strategy} is not a strategy of a ring; use RING_BUFFER")
        self.max_context_length = max_context_length
        self.register_buffer("cache_positions", torch.zeros(max_context_length, dtype=torch.int64))

    def places(self, positions: torch.Tensor) -> torch.Tensor:
        """Where the ring holds some positions; both are int64 of the same shape."""
        return positions % self.max_context_length

    def calculate_positions_and_update_indices(self, input_pos: torch.Tensor, seq_len: int) -> torch.Tensor:
        """Notes that ``seq_len`` tokens from ``input_pos[0]`` on are written.

        A call that begins at 0 begins anew: what the places held is forgotten.

        Returns:
            Their places, int64 of ``[seq_len]``.

        Raises:
            RuntimeError: more tokens than the ring has places.
        """
        start = input_pos[0].item()
        # Without a message: strict export would take the function that makes it for a tensor.
        torch._check(seq_len <= self.max_context_length)
        positions = torch.arange(seq_len, dtype=torch.int64, device=self.cache_positions.device) + start
        places = self.places(positions)
        nothing = torch.full_like(self.cache_positions, -1)
        numbers = torch.arange(self.max_context_length, dtype=torch.int64, device=nothing.device)
        held = torch.where(numbers < start, self.cache_positions, nothing)
        self.cache_positions.copy_(held)
        self.cache_positions.index_copy_(0, places, positions)
        return places


class CachePositionsManagerWithSink(CachePositionsManager):
    """Like its base, but the first places keep the first tokens, which later ones always see; the ring is behind them.

    Args:
        cache_size: places, the kept ones among them.
        sink_size: how many are kept.
    """

    def __init__(self, cache_size: int, sink_size: int = 0) -> None:
        super().__init__(cache_size)
        self.sink_size = sink_size

    def places(self, positions: torch.Tensor) -> torch.Tensor:
        behind = (positions - self.sink_size) % (self.max_context_length - self.sink_size) + self.sink_size
        return torch.where(positions < self.sink_size, positions, behind)


def ring_mask(
    cache_positions: torch.Tensor,
    window_size: int,
    start_pos: int | torch.Tensor,
    seq_len: int,
    sink_size: int = 0,
) -> torch.Tensor:
    """What is added to the attention of ``seq_len`` queries from ``start_pos`` on over a ring.

    Args:
        cache_positions: of :class:`CachePositionsManager`, ``[places]``.
        window_size: a query sees itself and what is less than so many positions before it,
        sink_size: and the first so many tokens.

    Returns:
        float32 of ``[seq_len, places]``: 0 for what a query sees, else minus infinity.
    """
    queries = torch.arange(seq_len, dtype=torch.int64, device=cache_positions.device).unsqueeze(1) + start_pos
    distance = queries - cache_positions
    seen = (cache_positions >= 0) & (distance >= 0) & (distance < window_size)
    if sink_size:
        seen = seen | ((cache_positions >= 0) & (cache_positions < sink_size) & (distance >= 0))
    return torch.where(seen, 0.0, float("-inf"))


class Ring:
    """What caches of a window have in common: a ring of places, the positions in them, and who sees whom.

    It comes before a kind of cache in the list of bases, whose places are to be those of :meth:`places_for`.
    """

    #: Published name by which callers tell rings from other caches.
    is_ring_buffer = True
    cache_positions_manager: CachePositionsManager

    @staticmethod
    def places_for(window_size: int, sink_size: int = 0) -> int:
        """Places of a ring of twice the window, behind the first tokens, which are kept."""
        return sink_size + 2 * window_size

    def keep_window(self, window_size: int, sink_size: int | None = None) -> None:
        """Notes positions from here on; to be called once the cache itself is made.

        Args:
            window_size: a query sees itself and what is less than so many positions before it.
            sink_size: how many of the first tokens all queries see; None for a ring that has no such places.
        """
        self.window_size, self.sink_size = window_size, sink_size or 0
        places = self.places_for(window_size, self.sink_size)
        self.cache_positions_manager = (
            CachePositionsManager(places)
            if sink_size is None
            else CachePositionsManagerWithSink(places, sink_size)
        )

    def create_causal_mask_for_ring_buffer(self, start_pos: int, seq_len: int) -> torch.Tensor:
        """:func:`ring_mask` of this ring."""
        positions = self.cache_positions_manager.cache_positions
        return ring_mask(positions, self.window_size, start_pos, seq_len, self.sink_size)
