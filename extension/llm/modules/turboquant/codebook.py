"""The values and rotations that :class:`~executorch.extension.llm.modules.turboquant.kv_cache.TurboQuantKVCache` has."""

from __future__ import annotations

import functools
import math

import torch

#: Points at which the density of an element is looked at.
_POINTS = 20_001
_STEPS = 300


@functools.lru_cache(maxsize=8)
def solve_lloyd_max(dim: int, bits: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The values that are nearest on average to an element of a random unit vector, by Lloyd's and Max's iteration.

    Args:
        dim: elements of the vector.
        bits: of a value's number.

    Returns:
        float32 values, ascending, ``[2 ** bits]``, and what lies halfway between them, ``[2 ** bits - 1]``.

    Raises:
        ValueError: fewer than three elements, whose density has no peak.
    """
    if dim < 3:
        raise ValueError(f"vectors of {dim} elements are no directions: there are 3 or more")
    count = 1 << bits
    # The density is (1 - x^2)^((dim - 3) / 2); beyond 8 deviations there is nothing.
    reach = min(1.0, 8.0 / math.sqrt(dim))
    points = torch.linspace(-reach, reach, _POINTS, dtype=torch.float64)
    density = (1 - points.square()).clamp(min=0).pow((dim - 3) / 2)
    amount, moment = density.cumsum(0), (density * points).cumsum(0)
    centroids = torch.linspace(-1, 1, count, dtype=torch.float64) * min(reach, 2.5 / math.sqrt(dim))
    for _ in range(_STEPS):
        borders = (centroids[1:] + centroids[:-1]) / 2
        ends = torch.cat((torch.searchsorted(points, borders) - 1, torch.tensor([_POINTS - 1])))
        mass = amount[ends].diff(prepend=torch.zeros(1, dtype=torch.float64))
        centroids = moment[ends].diff(prepend=torch.zeros(1, dtype=torch.float64)) / mass
    # What is left of the points' grid is no preference for a side.
    centroids = (centroids - centroids.flip(0)) / 2
    return centroids.float(), ((centroids[1:] + centroids[:-1]) / 2).float()


def generate_rotation_matrix(dim: int, seed: int = 42) -> torch.Tensor:
    """A random rotation, float32 ``[dim, dim]``, the same for a seed."""
    draw = torch.Generator().manual_seed(seed)
    matrix, triangle = torch.linalg.qr(torch.randn(dim, dim, generator=draw, dtype=torch.float64))
    # With this sign all rotations are equally likely.
    return (matrix * triangle.diagonal().sign()).float()
