"""``torch.ops.kvcache.update_and_attend``: attention over a cache that is not in the graph.

The exported graph has neither buffers nor mutations of them: one functional operator for each layer, with the number of the layer. Whoever
runs it says which cache it works on: in eager mode one of :mod:`~executorch.extension.llm.cache.reference_cache` that is :data:`REGISTRY`'s
active one, in a program a delegate with a cache of its own.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Protocol

import torch
from torch.fx.node import has_side_effect
from torch.library import Library

from executorch.extension.llm.cache.attend_spec import AttendSpec, attend


class AttendableCache(Protocol):
    """What the operator works on."""

    def update_and_fetch(
        self, layer_id: int, k: torch.Tensor, v: torch.Tensor, position: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, AttendSpec]:
        """Writes keys and values, and gives those to attend to."""
        ...


class CacheRegistry:
    """Caches by keys, of which one is active at a time in each thread."""

    def __init__(self) -> None:
        self._caches: dict[str, AttendableCache] = {}
        self._active: contextvars.ContextVar[AttendableCache | None] = contextvars.ContextVar(
            "active_cache", default=None
        )

    def install(self, cache_key: str, cache: AttendableCache) -> None:
        """Makes a cache known, instead of the one that had this key."""
        self._caches[cache_key] = cache

    def uninstall(self, cache_key: str) -> None:
        """Forgets a cache; a key without one is no error."""
        self._caches.pop(cache_key, None)

    @contextlib.contextmanager
    def active(self, cache_key: str) -> Iterator[None]:
        """The cache that the operator works on within.

        Raises:
            KeyError: none has this key.
        """
        if cache_key not in self._caches:
            raise KeyError(f"no cache was installed as {cache_key!r}; there are {sorted(self._caches)}")
        before = self._active.set(self._caches[cache_key])
        try:
            yield
        finally:
            self._active.reset(before)

    def current(self) -> AttendableCache:
        """The active cache.

        Raises:
            RuntimeError: none is.
        """
        cache = self._active.get()
        if cache is None:
            raise RuntimeError(
                "update_and_attend has no cache to work on: install one in REGISTRY and call within REGISTRY.active(key)"
            )
        return cache


REGISTRY = CacheRegistry()

_library = Library("kvcache", "FRAGMENT")
_library.define(
    "update_and_attend(Tensor q, Tensor k, Tensor v, Tensor position, SymInt layer_id, float scale, ScalarType out_dtype) -> Tensor"
)


def _eager(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    position: torch.Tensor,
    layer_id: int,
    scale: float,
    out_dtype: torch.dtype,
) -> torch.Tensor:
    keys, values, spec = REGISTRY.current().update_and_fetch(layer_id, k, v, position)
    return attend(q, keys, values, spec, scale, out_dtype)


def _meta(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    position: torch.Tensor,
    layer_id: int,
    scale: float,
    out_dtype: torch.dtype,
) -> torch.Tensor:
    return q.new_empty((*q.shape[:-1], v.shape[-1]), dtype=out_dtype)


_library.impl("update_and_attend", _eager, "CompositeExplicitAutograd")
torch.library.register_fake("kvcache::update_and_attend", _meta, lib=_library)
# A call whose result nobody reads writes the cache all the same.
has_side_effect(torch.ops.kvcache.update_and_attend.default)


def update_and_attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    position: torch.Tensor,
    layer_id: int,
    scale: float,
    out_dtype: torch.dtype,
) -> torch.Tensor:
    """Writes keys and values of a step to the active cache, and attends to what the cache then gives.

    Args:
        q: ``[batch, heads, tokens, head_dim]``.
        k: ``[batch, kv_heads, tokens, head_dim]``.
        v: ``[batch, kv_heads, tokens, value_dim]``.
        position: of each token, ``[tokens, 1]``.
        layer_id: which of the cache's layers.
        scale: of the scores.
        out_dtype: of the result, ``[batch, heads, tokens, value_dim]``.

    Raises:
        RuntimeError: no cache is active, or it is full.
    """
    return torch.ops.kvcache.update_and_attend(q, k, v, position, layer_id, scale, out_dtype)
