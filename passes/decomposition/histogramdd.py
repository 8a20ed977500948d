"""Histograms of points, by searches and one scatter."""

import math
from collections.abc import Callable
from typing import Any, Final

import torch

_aten = torch.ops.aten


def _edges(
    self: torch.Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> list[torch.Tensor]:
    """Between limits, or the least and the largest coordinate; half to each side where they are one number."""
    if range is not None:
        found = []
        for low, high, count in zip(range[::2], range[1::2], bins, strict=True):
            half = 0.5 if low == high else 0.0
            found.append(
                _aten.linspace.default(
                    low - half, high + half, count + 1, dtype=self.dtype, device=self.device
                )
            )
        return found
    points = self.reshape(-1, self.shape[-1])
    if points.shape[0] == 0:
        return _edges(self, bins, range=[0.0, 1.0] * len(bins))
    lows, highs = points.amin(0), points.amax(0)
    apart = (lows == highs).to(self.dtype) / 2
    lows, highs = lows - apart, highs + apart
    found = []
    for dim, count in enumerate(bins):
        steps = torch.arange(count + 1, dtype=self.dtype, device=self.device)
        step = (highs[dim] - lows[dim]) / count
        # From both ends, as linspace does, so that both are exact.
        from_high = highs[dim] - step * (count - steps)
        found.append(torch.where(steps < (count + 1) // 2, lows[dim] + step * steps, from_high))
    return found


def _by_edges(
    self: torch.Tensor, bins: Any, *, weight: "torch.Tensor | None" = None, density: bool = False
) -> torch.Tensor:
    """Bins have their lower edges, and the last ones both; points outside count nowhere."""
    points = self.reshape(-1, self.shape[-1])
    counts = [edges.shape[0] - 1 for edges in bins]
    place = torch.zeros_like(points[:, 0], dtype=torch.int64)
    inside = torch.ones_like(place, dtype=torch.bool)
    for dim, (edges, count) in enumerate(zip(bins, counts, strict=True)):
        x = points[:, dim].contiguous()
        inside = inside & (x >= edges[0]) & (x <= edges[-1])
        place = place * count + (torch.searchsorted(edges, x, right=True) - 1).clamp(0, count - 1)
    values = torch.ones_like(points[:, 0]) if weight is None else weight.reshape(-1)
    empty = torch.zeros([math.prod(counts)], dtype=self.dtype, device=self.device)
    found = torch.scatter_add(empty, 0, place, torch.where(inside, values, 0.0)).reshape(counts)
    if not density:
        return found
    found = found / found.sum()
    for dim, edges in enumerate(bins):
        widths = edges[1:] - edges[:-1]
        found = found / widths.reshape([-1] + [1] * (len(bins) - dim - 1))
    return found


def _by_counts(
    self: torch.Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> torch.Tensor:
    return _by_edges(self, _edges(self, bins, range=range), weight=weight, density=density)


HISTOGRAMDD: Final[dict[str, Callable[..., Any]]] = {
    "aten::_histogramdd_bin_edges": _edges,
    "aten::_histogramdd_from_bin_cts": _by_counts,
    "aten::_histogramdd_from_bin_tensors": _by_edges,
}

__all__ = ["HISTOGRAMDD"]
