"""Padding with what stands at the border, before annotation."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.ir.constants import add_attribute
from executorch.ir.rewriter import arguments, call_like

_aten = torch.ops.aten
#: Rows along one dimension that are slices of their own; more are picked by their numbers.
_MOST_SLICES = 16


def _places(mode: str, size: int, before: int, after: int) -> list[int]:
    """Which row stands at each place of the result."""
    every = range(-before, size + after)
    if mode == "circular":
        return [one % size for one in every]
    if mode == "replicate":
        return [min(max(one, 0), size - 1) for one in every]
    return [size - 1 - abs(size - 1 - abs(one)) for one in every]


def padded_with_itself(node: Node) -> Node | None:
    """``pad`` that reflects, replicates or goes round, as slices side by side; which every processor has."""
    given = arguments(node)
    mode, widths = given["mode"], list(given["pad"])
    if mode == "constant" or min(widths) < 0:
        return None
    made = given["self"]
    shape = made.meta[meta_keys.VAL].shape
    rank = len(shape)
    if not all(isinstance(size, int) for size in shape[rank - len(widths) // 2 :]):
        return None
    for i in range(len(widths) // 2):
        before, after = widths[2 * i : 2 * i + 2]
        if before or after:
            made = _along(node, made, rank - 1 - i, (mode, before, after))
    return made  # type: ignore[no-any-return]


def _along(node: Node, x: Node, dim: int, how: tuple[str, int, int]) -> Node:
    mode, before, after = how
    size = x.meta[meta_keys.VAL].shape[dim]
    places = _places(mode, size, before, after)
    if before + after > _MOST_SLICES:
        numbers = add_attribute(
            node.graph, torch.tensor(places, dtype=torch.int32), f"_constant_{node.name}_{dim}"
        )
        return call_like(node, _aten.index_select.default, (x, dim, numbers))

    def row(at: int) -> Node:
        return call_like(node, _aten.slice.Tensor, (x, dim, at, at + 1))

    parts: list[Any] = [*map(row, places[:before]), x, *map(row, places[before + size :])]
    return call_like(node, _aten.cat.default, (parts, dim))
