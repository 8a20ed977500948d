"""Pooling in floating point; geometry that the integer forms share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import PROPAGATE, REALS, Builder, DType, Tensor, numpy_type
from executorch.backends.arm.tosa.graph.lowering import Lowering, channels_last
from executorch.backends.arm.tosa.graph.narrow import sums_in
from executorch.backends.arm.tosa.graph.registry import ANY, BYTES, FLOATS, plain
from executorch.backends.arm.tosa.operators.elementwise import argument
from executorch.backends.arm.tosa.operators.shape import every, part
from executorch.backends.transforms.shapes import runs_of
from executorch.dialects import meta_keys
from executorch.ir.values import sizes_of


@dataclass(frozen=True)
class Pool:
    """Windows of a pooling, with padding after the input cut so that the last window ends there."""

    kernel: list[int]
    stride: list[int]
    pads: list[int]
    output: list[int]
    dilation: list[int]

    def of_images(self) -> Pool:
        """What a pooling of volumes does to each image of one."""
        return Pool(self.kernel[1:], self.stride[1:], self.pads[2:], self.output[1:], self.dilation[1:])

    def of_depth(self) -> Pool:
        """And to the images one behind the other, each laid flat."""
        kernel, stride, dilation = ([one[0], 1] for one in (self.kernel, self.stride, self.dilation))
        flat = [self.output[0], math.prod(self.output[1:])]
        return Pool(kernel, stride, [*self.pads[:2], 0, 0], flat, dilation)


def pool_of(node: Node, shape: Sequence[int]) -> Pool:
    """Of a pooling over an image or a volume of this size. Padding at the end may be negative."""
    rank = len(shape)
    kernel, stride, padding = (
        _each(argument(node, i, name, []), rank) for i, name in ((1, "kernel"), (2, "stride"), (3, "padding"))
    )
    kernel, stride = kernel or [1] * rank, stride or kernel
    padding = padding or [0] * rank
    gaps = (argument(node, 4, "dilation", 1) or 1) if "max_pool" in str(node.target) else 1
    dilation = _each(gaps, rank)
    value = node.meta[meta_keys.VAL]
    made = (value[0] if isinstance(value, tuple | list) else value).shape[-rank:]
    pads = []
    for i in range(rank):
        window = dilation[i] * (kernel[i] - 1) + 1
        pads += [padding[i], (made[i] - 1) * stride[i] + window - shape[i] - padding[i]]
    return Pool(kernel, stride, pads, list(made), dilation)


def _each(given: Any, rank: int) -> list[int]:
    values = [given] if isinstance(given, int) else list(given)
    return values * rank if len(values) == 1 else values


#: Makes of images what a pool says.
OfImages = Callable[[Tensor, Pool], Tensor]


def pooled(b: Builder, x: Tensor, pool: Pool, of_images: OfImages) -> Tensor:
    """Images as they are; of a volume first its images, then what lies one behind the other."""
    if len(pool.output) == 2:
        return of_images(x, pool)
    n, depth, *size, channels = x.shape
    flat = of_images(b.reshape(x, [n * depth, *size, channels]), pool.of_images())
    deep = b.reshape(flat, [n, depth, math.prod(pool.output[1:]), channels])
    return b.reshape(of_images(deep, pool.of_depth()), [n, *pool.output, channels])


def fitted(b: Builder, x: Tensor, pool: Pool) -> tuple[Tensor, list[int]]:
    """Cuts off what no window reads."""
    pads = list(pool.pads)
    for i in range(2):
        if pads[2 * i + 1] < 0:
            x = part(b, x, 1 + i, 0, x.shape[1 + i] + pads[2 * i + 1])
            pads[2 * i + 1] = 0
    return x, pads


def _is_batch(node: Node) -> str | None:
    rank = node.args[0].meta[meta_keys.VAL].dim()  # type: ignore[union-attr]
    if "3d" in str(node.target):
        return None if rank == 5 else "pooling of other than batches of volumes; unsqueeze to five dimensions"
    return None if rank == 4 else "pooling of other than batches of images; unsqueeze to four dimensions"


def _pool_fits(node: Node) -> str | None:
    why = _is_batch(node)
    if why is not None:
        return why
    shape = node.args[0].meta[meta_keys.VAL].shape  # type: ignore[union-attr]
    if "max_pool" in str(node.target) and any(user.args[1:] != (0,) for user in node.users):
        return "indices of the maxima are read, which TOSA does not give"
    pool = pool_of(node, shape[2:])
    if set(pool.dilation) == {1} and any(pad >= pool.kernel[i // 2] for i, pad in enumerate(pool.pads)):
        return "padding as large as the window, which TOSA does not take"
    return None


@plain(
    "aten.max_pool2d_with_indices.default",
    "aten.max_pool3d_with_indices.default",
    dtypes=tuple(one for one in ANY if one not in (torch.bool, torch.int32)),
    refusals=(_pool_fits,),
    conditions="no indices",
    shares_parameters=True,
)
def max_pool(low: Lowering, node: Node) -> None:
    order = channels_last(len(sizes_of(node.args[0])))  # type: ignore[arg-type]
    made = pooled_maximum(low.builder, low.tensor(node.args[0], order), node)
    low.values[node] = [low.made(made, order)]


def pooled_maximum(b: Builder, x: Tensor, node: Node) -> Tensor:
    pool = pool_of(node, x.shape[1:-1])
    return pooled(b, x, pool, lambda one, its: _maximum_of_images(b, one, its))


def _maximum_of_images(b: Builder, x: Tensor, pool: Pool) -> Tensor:
    if pool.dilation != [1, 1]:
        return _dilated_maximum(b, x, pool)
    x, pads = fitted(b, x, pool)
    shape = [x.shape[0], *pool.output, x.shape[3]]
    return b.emit("MAX_POOL2D", [x], shape, x.dtype, pool.kernel, pool.stride, pads, PROPAGATE)


def _least(dtype: Any) -> float:
    if dtype not in REALS:
        return float(np.iinfo(numpy_type(dtype)).min)
    # E4M3 has no infinity.
    return -448.0 if dtype == DType.FP8E4M3 else -np.inf


def _dilated_maximum(b: Builder, x: Tensor, pool: Pool) -> Tensor:
    """TOSA's windows have no gaps: images of every second (third, ...) row and column are pooled side by side."""
    n, *_, channels = x.shape
    least = _least(x.dtype)
    x, pads = fitted(b, x, pool)
    # The last window ends at a multiple of the gaps, and so does the image.
    more = [-(x.shape[1 + i] + pads[2 * i] + pads[2 * i + 1]) % pool.dilation[i] for i in range(2)]
    widths = [(pads[2 * i], pads[2 * i + 1] + more[i]) for i in range(2)]
    x = b.pad(x, [(0, 0), *widths, (0, 0)], least)
    (high, wide), (rows, columns) = pool.dilation, (x.shape[1 + i] // pool.dilation[i] for i in range(2))
    apart = b.transpose(b.reshape(x, [n, rows, high, columns, wide, channels]), [0, 2, 4, 1, 3, 5])
    made = [rows - pool.kernel[0] + 1, columns - pool.kernel[1] + 1]
    images = b.reshape(apart, [n * high * wide, rows, columns, channels])
    more_of_it = pool.kernel, [1, 1], [0, 0, 0, 0], PROPAGATE
    maxima = b.emit("MAX_POOL2D", [images], [n * high * wide, *made, channels], x.dtype, *more_of_it)
    together = b.transpose(b.reshape(maxima, [n, high, wide, *made, channels]), [0, 3, 1, 4, 2, 5])
    every_place = b.reshape(together, [n, made[0] * high, made[1] * wide, channels])
    for i in range(2):
        stop = (pool.output[i] - 1) * pool.stride[i] + 1
        every_place = every(b, every_place, 1 + i, 0, stop, pool.stride[i])
    return every_place


def _average_fits(node: Node) -> str | None:
    why = _pool_fits(node)
    if why is not None:
        return why
    if argument(node, 6, "divisor_override") is not None:
        return "a divisor of its own; multiply the result"
    return None


@plain(
    "aten.avg_pool2d.default",
    "aten.avg_pool3d.default",
    dtypes=(*FLOATS, *BYTES),
    refusals=(_average_fits,),
    conditions="no divisor of its own",
)
def avg_pool(low: Lowering, node: Node) -> None:
    order = channels_last(len(sizes_of(node.args[0])))  # type: ignore[arg-type]
    x = low.tensor(node.args[0], order)
    zero = low.builder.constant([0], x.dtype)
    low.set(node, pooled_average(low.builder, x, node, (zero, zero), sums_in(x.dtype), 0), order)


def pooled_average(b: Builder, x: Tensor, node: Node, zeros: Any, accumulator: Any, fill: float) -> Tensor:
    """TOSA divides by what a window covers of the input; padding that counts is written into it."""
    counts = bool(argument(node, 5, "count_include_pad", True))

    def of_images(x: Tensor, pool: Pool) -> Tensor:
        x, pads = fitted(b, x, pool)
        if counts:
            # What ceil_mode adds behind the padding never counts.
            written = [min(pads[i], pool.pads[i // 2 * 2]) for i in range(4)]
            x = b.pad(x, [(0, 0), (written[0], written[1]), (written[2], written[3]), (0, 0)], fill)
            pads = [one - other for one, other in zip(pads, written, strict=True)]
        shape = [x.shape[0], *pool.output, x.shape[3]]
        attributes = pool.kernel, pool.stride, pads, accumulator
        return b.emit("AVG_POOL2D", [x, *zeros], shape, x.dtype, *attributes)

    return pooled(b, x, pool_of(node, x.shape[1:-1]), of_images)


@plain(
    "aten._adaptive_avg_pool2d.default",
    "aten._adaptive_avg_pool3d.default",
    dtypes=(*FLOATS, *BYTES),
    refusals=(_is_batch,),
)
def adaptive_average(low: Lowering, node: Node) -> None:
    order = channels_last(len(sizes_of(node.args[0])))  # type: ignore[arg-type]
    x = low.tensor(node.args[0], order)
    zero = low.builder.constant([0], x.dtype)
    low.set(node, adaptive(low.builder, x, node, (zero, zero), sums_in(x.dtype)), order)


def adaptive(b: Builder, x: Tensor, node: Node, zeros: Any, accumulator: Any) -> Tensor:
    """A pool for each pair of runs, put together."""
    made = sizes_of(node)[2:]
    ones = [1] * len(made)
    pool = Pool(ones, ones, [0, 0] * len(made), made, ones)
    return pooled(b, x, pool, lambda one, its: _adaptive_of_images(b, one, its.output, zeros, accumulator))


def _adaptive_of_images(b: Builder, x: Tensor, made: Sequence[int], zeros: Any, accumulator: Any) -> Tensor:
    rows = []
    for high in runs_of(x.shape[1], made[0]):
        band = part(b, x, 1, high.start, high.length)
        parts = []
        for wide in runs_of(x.shape[2], made[1]):
            source = part(b, band, 2, wide.start, wide.length)
            kernel, stride = [high.size, wide.size], [high.stride, wide.stride]
            shape = [x.shape[0], high.count, wide.count, x.shape[3]]
            more = kernel, stride, [0, 0, 0, 0], accumulator
            parts.append(b.emit("AVG_POOL2D", [source, *zeros], shape, x.dtype, *more))
        rows.append(b.concat(parts, 2))
    return b.concat(rows, 1)
