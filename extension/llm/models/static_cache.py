"""Caches of fixed shape that a caller keeps: what a call sees of them, and how what it gives goes into them.

A cache holds the newest tokens. By style `shift_pointer` they stand in their order at its end, and every call shifts them; by `smart_mask` a
token stands where its position leaves a rest, and nothing moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

#: How a cache is kept.
STYLES = ("shift_pointer", "smart_mask")

#: Keys or values of layers, by :meth:`StaticKVCache.calculate_cache_key`.
Caches = Mapping[str, torch.Tensor]


def check_style(style: str) -> None:
    """Raises ValueError for a style that there is not."""
    if style not in STYLES:
        raise ValueError(f"style is {' or '.join(STYLES)}, not {style}")


def slot_positions(style: str, length: int, start: int) -> torch.Tensor:
    """The position of the token in each of ``length`` slots once ``start`` tokens have been seen, int64; negative where there is none."""
    check_style(style)
    slots = torch.arange(length)
    if style == "shift_pointer":
        return start - length + slots
    return start - 1 - (start - 1 - slots) % max(1, length)


class StaticKVCache(nn.Module):
    """The keys or the values of a layer's head, or of all its heads, between calls.

    Args:
        layer_id, head_id: numbers, from 0; head 0 stands for all where heads are not split.
    """

    def __init__(self, layer_id: int, head_id: int) -> None:
        super().__init__()
        self.layer_id, self.head_id = layer_id, head_id

    @property
    def cache_key(self) -> str:
        """Its name among a call's caches."""
        return self.calculate_cache_key(self.layer_id, self.head_id)

    @staticmethod
    def calculate_cache_key(layer_id: int, head_id: int) -> str:
        """The name of a cache."""
        return f"l{layer_id},h{head_id}"

    @staticmethod
    def apply_update(
        cache: torch.Tensor,
        update: torch.Tensor,
        pos: int,
        style: str,
        update_pos: int = 0,
        update_len: int | None = None,
    ) -> torch.Tensor:
        """The cache after some more tokens; the one that is given stays as it is.

        Args:
            cache, update: ``[..., tokens, size]``.
            pos: position of the first token of the update.
            style: of this module's.
            update_pos, update_len: the part of the update that counts; all of it by default.
        """
        check_style(style)
        length, end = cache.shape[-2], update.shape[-2]
        count = end - update_pos if update_len is None else update_len
        new = update.narrow(-2, update_pos, count)
        if style == "shift_pointer":
            return torch.cat((cache, new), dim=-2).narrow(-2, count, length)
        kept = min(count, length)
        slots = (pos + torch.arange(count - kept, count)) % max(1, length)
        return cache.index_copy(-2, slots, new.narrow(-2, count - kept, kept))

    def with_cache(self, new: torch.Tensor, caches: Caches | None) -> torch.Tensor:
        """A call's keys or values behind those of the cache, if there is one."""
        if caches is None or self.cache_key not in caches:
            return new
        return torch.cat((caches[self.cache_key], new), dim=-2)


class StaticKCache(StaticKVCache):
    """Of keys."""


class StaticVCache(StaticKVCache):
    """Of values."""


class StaticAttentionMask:
    """What the tokens of a call see: all that the cache holds, and of the call what its owner writes behind it.

    Args:
        input_len, cache_len: tokens of a call and of the cache.
        style: how the cache is kept.
        mask_val: what hides a token.
        dtype: of the mask.

    Attributes:
        tensor: ``[1, input_len, cache_len + input_len]``, added to attention.
    """

    def __init__(
        self,
        input_len: int,
        cache_len: int,
        style: str = "shift_pointer",
        mask_val: float = float("-inf"),
        dtype: torch.dtype = torch.float32,
    ) -> None:
        check_style(style)
        self.input_len, self.cache_len, self.style = input_len, cache_len, style
        self.mask_val, self.seen = mask_val, 0
        self.tensor = torch.zeros(1, input_len, cache_len + input_len, dtype=dtype)
        self.reset()

    def reset(self) -> None:
        """The cache is empty."""
        self.seen = 0
        self.tensor[:, :, : self.cache_len] = self.mask_val

    def unmask(self, new_unmasked_len: int) -> None:
        """The cache has so many tokens more, or as many as it holds."""
        self.seen += new_unmasked_len
        held = slot_positions(self.style, self.cache_len, self.seen) >= 0
        self.tensor[:, :, : self.cache_len].masked_fill_(held, 0)


def call_mask(
    style: str,
    cache_len: int,
    start: int,
    positions: torch.Tensor,
    seen: torch.Tensor,
    window: int | None = None,
    mask_val: float = float("-inf"),
    dtype: torch.dtype = torch.float32,
) -> torch.Tensor:
    """The mask of a call, ``[1, tokens, cache_len + tokens]``.

    Args:
        style, cache_len: of the cache.
        start: tokens before the call.
        positions: of the call's tokens, int64.
        seen: which of the call's tokens each sees, bool of ``[tokens, tokens]``.
        window: how many positions a token sees, itself among them; None: all.
        mask_val, dtype: of what hides a token, and of the mask.
    """
    slots = slot_positions(style, cache_len, start)
    held = (slots >= 0).expand(len(positions), cache_len)
    if window is not None:
        held = held & (positions[:, None] - slots < window)
        seen = seen & (positions[:, None] - positions < window)
    hidden = ~torch.cat((held, seen), dim=1)
    return torch.zeros(1, *hidden.shape, dtype=dtype).masked_fill(hidden, mask_val)


def attention_mask(masks: Mapping[int, torch.Tensor], length: Any) -> torch.Tensor:
    """The mask of a cache of a length.

    Raises:
        ValueError: there is none.
    """
    if length not in masks:
        raise ValueError(f"no mask for a cache of {length} tokens: masks has {sorted(masks)}")
    return masks[length]
