"""How large a cache outside of the graph is, and what each of its layers keeps."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Sequence

import torch


class CacheSizing(enum.Enum):
    """When memory is taken. Either way there are never more cells than the capacity."""

    #: All at once.
    STATIC = "static"
    #: As cells are used.
    DYNAMIC = "dynamic"


class LayerKind(enum.Enum):
    """What the queries of a layer see of the tokens before them."""

    FLAT = "flat"
    RING = "ring"


@dataclasses.dataclass(frozen=True)
class LayerPolicy:
    """What a layer's queries see: everything before them, or a window.

    Args:
        kind: ``RING`` for a window.
        window: a query sees itself and what is less than so many positions before it; 0 for a flat layer.

    Raises:
        ValueError: the two do not fit.
    """

    kind: LayerKind = LayerKind.FLAT
    window: int = 0

    def __post_init__(self) -> None:
        if self.kind is LayerKind.FLAT and self.window:
            raise ValueError(f"a flat layer has no window of {self.window}: use LayerPolicy.ring")
        if self.kind is LayerKind.RING and self.window <= 0:
            raise ValueError(f"a window of {self.window} positions shows nothing; it has to be positive")

    @classmethod
    def flat(cls) -> LayerPolicy:
        """All positions."""
        return cls()

    @classmethod
    def ring(cls, window: int) -> LayerPolicy:
        """The last ``window`` positions."""
        return cls(LayerKind.RING, window)


@dataclasses.dataclass(frozen=True)
class CacheConfig:
    """Sizes of a cache.

    Args:
        n_layers, n_kv_heads, head_dim: of the model; values may be of another width than keys.
        capacity: most cells of a layer.
        sizing: when memory is taken.
        dtype: of what is kept.
        layers: one policy for all layers, or one for each.

    Raises:
        ValueError: a size is not positive, or there is another number of policies.
    """

    n_layers: int
    n_kv_heads: int
    head_dim: int
    capacity: int
    sizing: CacheSizing = CacheSizing.DYNAMIC
    dtype: torch.dtype = torch.float32
    layers: Sequence[LayerPolicy] = (LayerPolicy(),)

    def __post_init__(self) -> None:
        for name in ("n_layers", "n_kv_heads", "head_dim", "capacity"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} is {getattr(self, name)} and has to be positive")
        if len(self.layers) not in (1, self.n_layers):
            raise ValueError(
                f"layers has {len(self.layers)} policies: give one for all, or one for each of {self.n_layers} layers"
            )

    def policy(self, layer_id: int) -> LayerPolicy:
        """Of one layer.

        Raises:
            IndexError: there is no such layer.
        """
        if not 0 <= layer_id < self.n_layers:
            raise IndexError(f"no layer {layer_id} in a cache of {self.n_layers} layers")
        return self.layers[layer_id if len(self.layers) > 1 else 0]
