"""Adaptive maximum pooling by pools of one size where the sizes divide; else, for volumes, by gathers, which runtimes have."""

from typing import Any, Final

import torch

_POOLS: Final = {
    2: torch.ops.aten.max_pool2d_with_indices.default,
    3: torch.ops.aten.max_pool3d_with_indices.default,
}


def adaptive_max_pool(self: torch.Tensor, output_size: Any) -> Any:
    """Shapes: ``self`` (N, C, *sizes) or (C, *sizes), with as many sizes as ``output_size``; values and flat places of the maxima.

    Other images stay as they are, for there is a kernel; and so do volumes whose sizes only a run tells: how many elements a
    window has would not be known.
    """
    wanted = list(output_size)
    sizes = list(self.shape[-len(wanted) :])
    if not all(isinstance(size, int) and size > 0 for size in (*sizes, *wanted)):
        return NotImplemented
    if all(size % parts == 0 for size, parts in zip(sizes, wanted, strict=True)):
        window = [size // parts for size, parts in zip(sizes, wanted, strict=True)]
        return _POOLS[len(wanted)](self, window, window)
    if len(wanted) == 2:
        return NotImplemented
    lead = self.dim() - len(wanted)
    windows, places = self, torch.zeros([], dtype=torch.int64, device=self.device)
    for dim, (size, parts) in enumerate(zip(sizes, wanted, strict=True)):
        # Two dimensions stand for each that is done: the windows and what is in one.
        at = lead + 2 * dim
        chosen = _windows(size, parts, self.device)
        windows = windows.index_select(at, chosen.flatten()).unflatten(at, chosen.shape)
        places = places.unsqueeze(-1).unsqueeze(-1) * size + chosen
    order = list(range(0, 2 * len(wanted), 2)) + list(range(1, 2 * len(wanted), 2))
    windows = windows.permute(*range(lead), *(lead + dim for dim in order)).flatten(lead + len(wanted))
    places = places.permute(order).flatten(len(wanted))
    values, within = windows.max(-1)
    return values, torch.gather(places.expand(windows.shape), -1, within.unsqueeze(-1)).squeeze(-1)


def _windows(size: int, parts: int, device: torch.device) -> torch.Tensor:
    """Places of each window's elements, (parts, longest window); shorter ones repeat their last, which changes no maximum."""
    longest = max(-(-(part + 1) * size // parts) - part * size // parts for part in range(parts))
    part = torch.arange(parts, device=device).unsqueeze(-1)
    first = torch.div(part * size, parts, rounding_mode="floor")
    last = torch.div((part + 1) * size + parts - 1, parts, rounding_mode="floor") - 1
    return torch.minimum(first + torch.arange(longest, device=device), last)


__all__ = ["adaptive_max_pool"]
