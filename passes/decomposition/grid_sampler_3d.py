"""``grid_sampler_3d`` by gathers, which runtimes have: what warps of volumes and of features with depth end in."""

import itertools
from typing import Any, Final

import torch

_BILINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER, _REFLECTION = 0, 1, 2
_MODES: Final = (_BILINEAR, _NEAREST)


def grid_sampler_3d(
    input: torch.Tensor, grid: torch.Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """Shapes: ``input`` (N, C, D, H, W), ``grid`` (N, d, h, w, 3) with x, y, z in -1 to 1; the result is (N, C, d, h, w)."""
    if interpolation_mode not in _MODES:
        return NotImplemented
    sizes = input.shape[2:]
    # The last coordinate of the grid belongs to the first dimension.
    places = [_place(grid[..., 2 - dim], size, padding_mode, align_corners) for dim, size in enumerate(sizes)]
    if interpolation_mode == _NEAREST:
        return _taken(input, [place.round() for place in places])
    lows = [place.floor() for place in places]
    result: Any = None
    for corner in itertools.product((0, 1), repeat=3):
        weight: Any = 1
        for offset, low, place in zip(corner, lows, places, strict=True):
            weight = weight * (place - low if offset else low + 1 - place)
        taken = _taken(input, [low + offset for low, offset in zip(lows, corner, strict=True)])
        part = taken * weight.unsqueeze(1)
        result = part if result is None else result + part
    return result


def _place(coordinate: torch.Tensor, size: Any, padding_mode: int, align_corners: bool) -> torch.Tensor:
    """Where a coordinate of -1 to 1 is, counted in elements; outside of the tensor for padding with zeros only."""
    place = (coordinate + 1) / 2 * (size - 1) if align_corners else ((coordinate + 1) * size - 1) / 2
    if padding_mode == _REFLECTION:
        place = _reflected(place, 0 if align_corners else -0.5, size - 1 if align_corners else size)
    return place if padding_mode == _ZEROS else place.clamp(0, size - 1)


def _reflected(place: torch.Tensor, low: float, span: Any) -> torch.Tensor:
    """Folded into ``low`` to ``low + span``."""
    if span == 0:
        return torch.zeros_like(place)
    distance = (place - low).abs()
    extra, folds = torch.fmod(distance, span), torch.floor(distance / span)
    return torch.where(torch.fmod(folds, 2) == 0, extra, span - extra) + low


def _taken(input: torch.Tensor, places: list[torch.Tensor]) -> torch.Tensor:
    """The elements at whole places, zero outside."""
    rows, channels, *sizes = input.shape
    inside: Any = None
    flat: Any = 0
    for place, size in zip(places, sizes, strict=True):
        here = (place >= 0) & (place <= size - 1)
        inside = here if inside is None else inside & here
        flat = flat * size + place.clamp(0, size - 1).to(torch.int64)
    index = flat.reshape(rows, 1, -1).expand(rows, channels, -1)
    taken = input.reshape(rows, channels, -1).gather(2, index).reshape(rows, channels, *places[0].shape[1:])
    return torch.where(inside.unsqueeze(1), taken, 0.0)


__all__ = ["grid_sampler_3d"]
