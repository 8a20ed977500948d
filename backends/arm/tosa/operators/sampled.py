"""Images read at places that are calculated."""

from __future__ import annotations

import math

import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering, channels_last
from executorch.backends.arm.tosa.graph.registry import plain
from executorch.backends.arm.tosa.operators.shape import part

_BILINEAR, _ZEROS, _BORDER = 0, 0, 1


def _is_bilinear(node: Node) -> str | None:
    if node.args[2] != _BILINEAR:
        return "sampling other than bilinear"
    if node.args[3] not in (_ZEROS, _BORDER):
        return "sampling that reflects at the border; use zeros or border"
    return None


@plain(
    "aten.grid_sampler_2d.default", dtypes=(torch.float32,), refusals=(_is_bilinear,), conditions="bilinear"
)
def grid_sampler(low: Lowering, node: Node) -> None:
    """Four neighbours of each place, picked by their numbers and mixed."""
    b = low.builder
    x, grid = low.tensor(node.args[0], channels_last(4)), low.tensor(node.args[1])
    batch, height, width, channels = x.shape
    count = math.prod(grid.shape[1:3])
    rows = b.reshape(x, [batch, height * width, channels])
    aligned, mode = bool(node.args[4]), node.args[3]
    across, down = (
        _neighbours(
            b, b.reshape(part(b, grid, 3, i, 1), [batch, count]), size, (aligned, bool(mode == _BORDER))
        )
        for i, size in enumerate((width, height))
    )
    made = None
    for row, share in down:
        for column, other in across:
            number = b.add(b.mul(row, b.scalar(width, row)), column)
            weight = b.reshape(b.mul(share, other), [batch, count, 1])
            one = b.mul(b.gather(rows, number), weight)
            made = one if made is None else b.add(made, one)
    assert made is not None
    low.set(node, b.reshape(made, [batch, *grid.shape[1:3], channels]), channels_last(4))


def _neighbours(b: Builder, place: Tensor, size: int, how: tuple[bool, bool]) -> list[tuple[Tensor, Tensor]]:
    """The two next to each place, from -1 to 1, along one dimension: number and share. What is outside has none."""
    aligned, clamps = how
    half = b.scalar((size - 1) / 2 if aligned else size / 2, place)
    at = b.mul(b.add(place, b.scalar(1.0, place)), half)
    at = at if aligned else b.sub(at, b.scalar(0.5, at))
    # Further out nothing changes.
    at = b.clamp(at, 0.0, size - 1.0) if clamps else b.clamp(at, -1.0, float(size))
    first = b.unary("FLOOR", at)
    second = b.add(first, b.scalar(1.0, first))
    found = []
    for one, share in ((first, b.sub(second, at)), (second, b.sub(at, first))):
        number = b.cast(one, DType.INT32)
        inside = b.minimum(b.maximum(number, b.scalar(0, number)), b.scalar(size - 1, number))
        nothing = b.scalar(0.0, share)
        found.append((inside, b.select(b.compare("EQUAL", number, inside), share, nothing)))
    return found


__all__ = ["grid_sampler"]
