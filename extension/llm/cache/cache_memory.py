"""What caches outside of the graph have in common: keys and values of a layer by cells, and who sees whom."""

from __future__ import annotations

import torch

from executorch.extension.llm.cache.cache_config import CacheConfig, CacheSizing


class LayerMemory:
    """Cells of one layer, each with a key and a value; memory is taken when the first of them are written."""

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self._keys: torch.Tensor | None = None
        self._values: torch.Tensor | None = None

    def check(self, k: torch.Tensor, v: torch.Tensor, position: torch.Tensor) -> None:
        """Raises :class:`ValueError` unless keys and values are those of the configuration, with a position for each token."""
        heads, dim = self.config.n_kv_heads, self.config.head_dim
        if k.dim() != 4 or k.shape[1] != heads or k.shape[3] != dim or k.shape[:3] != v.shape[:3]:
            raise ValueError(
                f"keys {tuple(k.shape)} and values {tuple(v.shape)} are not of [batch, {heads}, tokens, {dim}]"
            )
        if position.numel() != k.shape[2]:
            raise ValueError(f"{position.numel()} positions for {k.shape[2]} tokens")
        if k.shape[2] == 0:
            raise ValueError("a step has at least one token")
        if self._keys is None or self._values is None:
            return
        held = (self._keys.shape[0], self._values.shape[3])
        if held != (k.shape[0], v.shape[3]):
            raise ValueError(
                f"the cache holds a batch of {held[0]} and values of width {held[1]}, not {k.shape[0]} and {v.shape[3]}: "
                "call reset first"
            )

    def write(self, cells: torch.Tensor, k: torch.Tensor, v: torch.Tensor, end: int) -> None:
        """Puts tokens into cells, which all lie in front of ``end``."""
        is_static = self.config.sizing is CacheSizing.STATIC
        self._keys = _grown(self._keys, k, self.config, self.config.capacity if is_static else end)
        self._values = _grown(self._values, v, self.config, self.config.capacity if is_static else end)
        self._keys[:, :, cells] = k.detach().to(self.config.dtype)
        self._values[:, :, cells] = v.detach().to(self.config.dtype)

    def read(self, end: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values of the cells in front of ``end``."""
        assert self._keys is not None and self._values is not None, "cells are written before they are read"
        return self._keys[:, :, :end], self._values[:, :, :end]


def _grown(held: torch.Tensor | None, tokens: torch.Tensor, config: CacheConfig, cells: int) -> torch.Tensor:
    """Memory of at least so many cells in which those of ``held`` stay where they are."""
    have = 0 if held is None else held.shape[2]
    if held is not None and have >= cells:
        return held
    batch, heads, _, width = tokens.shape
    room = min(max(cells, 2 * have), config.capacity)
    grown = torch.zeros(batch, heads, room, width, dtype=config.dtype, device=tokens.device)
    if held is not None:
        grown[:, :, :have] = held
    return grown


def seen(queries: torch.Tensor, cells: torch.Tensor, window: int) -> torch.Tensor:
    """Which cells the queries of one sequence see, by positions.

    Args:
        queries: ``[queries]``.
        cells: ``[cells]``.
        window: a query sees what is less than so many positions before it; 0 for all.

    Returns:
        bool ``[queries, cells]``.
    """
    distance = queries.unsqueeze(1) - cells.unsqueeze(0)
    before = distance >= 0
    return before & (distance < window) if window else before
