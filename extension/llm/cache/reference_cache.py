"""Caches for :mod:`~executorch.extension.llm.cache.update_and_attend` that say in eager mode what a runtime's have to give.

They keep what they are given and mask it; a runtime may lay it out otherwise, as long as attention is the same.
"""

from __future__ import annotations

import torch

from executorch.extension.llm.cache.attend_spec import AttendSpec, MaskKind, attend
from executorch.extension.llm.cache.cache_config import CacheConfig, CacheSizing, LayerKind, LayerPolicy
from executorch.extension.llm.cache.cache_memory import LayerMemory, seen
from executorch.extension.llm.cache.cell_cache import MAX_SEQS, CellReferenceCache, flatten_step


class ContiguousReferenceCache:
    """One text (or a batch of texts of one length), a cell for each position.

    A step begins where the last one ended, or before that: then what is behind it is forgotten.
    """

    def __init__(self, config: CacheConfig) -> None:
        self.config = config
        self.reset()

    def reset(self) -> None:
        """Forgets everything."""
        self._memory = [LayerMemory(self.config) for _ in range(self.config.n_layers)]
        self._used = [0] * self.config.n_layers

    def used(self, layer_id: int) -> int:
        """How many positions a layer holds."""
        self.config.policy(layer_id)
        return self._used[layer_id]

    def update_and_fetch(
        self, layer_id: int, k: torch.Tensor, v: torch.Tensor, position: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, AttendSpec]:
        """Writes the tokens of a step and gives what their queries attend to.

        Args:
            layer_id: which layer's.
            k: ``[batch, kv_heads, tokens, head_dim]``.
            v: ``[batch, kv_heads, tokens, value_dim]``.
            position: of each token, one behind the other; ``[tokens, 1]``.

        Returns:
            All keys, all values, and which of them a query attends to.

        Raises:
            ValueError: shapes do not fit, or positions leave something out.
            RuntimeError: more tokens than the capacity.
        """
        policy = self.config.policy(layer_id)
        memory = self._memory[layer_id]
        memory.check(k, v, position)
        positions = position.reshape(-1).to(torch.int64)
        start, total = self._span(layer_id, positions)
        memory.write(positions, k, v, total)
        self._used[layer_id] = total
        window = policy.window if policy.window < total else 0
        return (*memory.read(total), _spec(positions, start, total, window))

    def _span(self, layer_id: int, positions: torch.Tensor) -> tuple[int, int]:
        """Where a step begins and ends."""
        start = int(positions[0])
        total = start + positions.numel()
        if not torch.equal(positions, torch.arange(start, total, device=positions.device)):
            raise ValueError(
                f"positions {positions.tolist()} do not follow each other; CellReferenceCache takes any"
            )
        if not 0 <= start <= self._used[layer_id]:
            raise ValueError(
                f"a step at position {start} leaves a gap: layer {layer_id} holds {self._used[layer_id]} positions"
            )
        if total > self.config.capacity:
            raise RuntimeError(
                f"the cache is full: {total} positions of layer {layer_id} are more than the capacity of {self.config.capacity}"
            )
        return start, total


def _spec(positions: torch.Tensor, start: int, total: int, window: int) -> AttendSpec:
    """Without a mask wherever there is a name for what one would say."""
    if not window and total - start == 1:
        return AttendSpec(MaskKind.NONE)
    if not window and start == 0:
        return AttendSpec(MaskKind.CAUSAL)
    cells = torch.arange(total, device=positions.device)
    return AttendSpec(MaskKind.EXPLICIT, seen(positions, cells, window))


__all__ = [
    "MAX_SEQS",
    "AttendSpec",
    "CacheConfig",
    "CacheSizing",
    "CellReferenceCache",
    "ContiguousReferenceCache",
    "LayerKind",
    "LayerPolicy",
    "MaskKind",
    "attend",
    "flatten_step",
]
