"""Texts without an end (https://arxiv.org/abs/2309.17453): the first tokens stay, the others are in a ring, and so are their rotations.

A cache holds the first ``sink_size`` tokens and a ring of twice a window behind them. Positions of rotations go around the same ring, so that
tables are of its size however long a text is; what is across the ring's end from a token is turned as if it were elsewhere in the window.
"""

from __future__ import annotations

import torch
from torch import nn

from executorch.extension.llm.cache.kv_cache import KVCache, KVCacheWithAttentionSink
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.rope import Rope


class RopeWithAttentionSink(Rope):
    """Tables whose rows for positions behind the first go around a ring.

    Args:
        params: of the model; its ``max_context_len`` rows have to hold the first tokens and the ring.
        window_size, sink_size: of the window, and how many tokens stay.

    Raises:
        ValueError: the tables are too short.
    """

    def __init__(self, params: ModelArgs, window_size: int, sink_size: int) -> None:
        super().__init__(params)
        self.sink_size, self.ring_size = sink_size, 2 * window_size
        if sink_size + self.ring_size > params.max_context_len:
            raise RefusalError(
                f"{sink_size} tokens that stay and a ring of two windows of {window_size} are more than max_context_len, "
                f"{params.max_context_len}: make that larger or the window smaller"
            )

    def get_freqs(self, input_pos: torch.Tensor | None, seq_len: int) -> tuple[torch.Tensor, torch.Tensor]:
        """As of :class:`~executorch.extension.llm.models.rope.Rope`, without an upper bound of positions."""
        if input_pos is None:
            return super().get_freqs(None, seq_len)
        if self.params.use_kv_cache and self.params.enable_dynamic_shape:
            input_pos = torch.arange(seq_len, dtype=torch.int64, device=input_pos.device) + input_pos[-1]
        return self.get_freqs_using_indices(self._remap_input_pos(input_pos))

    def _remap_input_pos(self, input_pos: torch.Tensor) -> torch.Tensor:
        around = (input_pos - self.sink_size) % self.ring_size + self.sink_size
        return torch.where(input_pos < self.sink_size, input_pos, around)


def enable_attention_sink(
    module: nn.Module, params: ModelArgs, sink_size: int, window_size: int
) -> nn.Module:
    """Gives a decoder with caches such rotations and caches, in place; returns it.

    Raises:
        ValueError: as of :class:`RopeWithAttentionSink`.
    """
    rope = RopeWithAttentionSink(params, window_size, sink_size)
    for one in module.modules():
        cache = getattr(one, "kv_cache", None)
        if isinstance(cache, KVCache):
            one.kv_cache = KVCacheWithAttentionSink(
                cache.n_heads,
                cache.head_dim,
                cache.enable_dynamic_shape,
                rope,
                window_size,
                sink_size,
                cache.max_batch_size,
                cache.k_cache.dtype,
            )
        if isinstance(getattr(one, "rope", None), Rope):
            one.rope = rope  # type: ignore[assignment]
    return module
