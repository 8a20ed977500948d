"""Pooling in floating point; geometry that the integer forms share."""

from __future__ import annotations

from collections.abc import Sequence
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


@dataclass(frozen=True)
class Pool:
    """Windows of a pooling, with padding after the input cut so that the last window ends there."""

    kernel: list[int]
    stride: list[int]
    pads: list[int]
    output: list[int]
    dilation: list[int]


def pool_of(node: Node, shape: Sequence[int]) -> Pool:
    """Of a pooling over an image of this height and width. Padding at the end may be negative."""
    kernel, stride, padding = (
        _pair(argument(node, i, name, [])) for i, name in ((1, "kernel"), (2, "stride"), (3, "padding"))
    )
    kernel, stride = kernel or [1, 1], stride or kernel
    padding = padding or [0, 0]
    dilation = _pair(argument(node, 4, "dilation", 1) or 1) if "max_pool" in str(node.target) else [1, 1]
    value = node.meta[meta_keys.VAL]
    made = (value[0] if isinstance(value, tuple | list) else value).shape[-2:]
    pads = []
    for i in range(2):
        window = dilation[i] * (kernel[i] - 1) + 1
        pads += [padding[i], (made[i] - 1) * stride[i] + window - shape[i] - padding[i]]
    return Pool(kernel, stride, pads, list(made), dilation)


def _pair(given: Any) -> list[int]:
    values = [given] if isinstance(given, int) else list(given)
    return values * 2 if len(values) == 1 else values


def fitted(b: Builder, x: Tensor, pool: Pool) -> tuple[Tensor, list[int]]:
    """Cuts off what no window reads."""
    pads = list(pool.pads)
    for i in range(2):
        if pads[2 * i + 1] < 0:
            x = part(b, x, 1 + i, 0, x.shape[1 + i] + pads[2 * i + 1])
            pads[2 * i + 1] = 0
    return x, pads


def _pool_fits(node: Node) -> str | None:
    shape = node.args[0].meta[meta_keys.VAL].shape  # type: ignore[union-attr]
    if len(shape) != 4:
        return "pooling of other than batches of images; unsqueeze to four dimensions"
    if "max_pool" in str(node.target) and any(user.args[1:] != (0,) for user in node.users):
        return "indices of the maxima are read, which TOSA does not give"
    pool = pool_of(node, shape[-2:])
    if pool.dilation == [1, 1] and any(pad >= pool.kernel[i // 2] for i, pad in enumerate(pool.pads)):
        return "padding as large as the window, which TOSA does not take"
    return None


@plain(
    "aten.max_pool2d_with_indices.default",
    dtypes=tuple(one for one in ANY if one not in (torch.bool, torch.int32)),
    refusals=(_pool_fits,),
    conditions="no indices",
    shares_parameters=True,
)
def max_pool(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0], channels_last(4))
    low.values[node] = [low.made(pooled_maximum(low.builder, x, node), channels_last(4))]


def pooled_maximum(b: Builder, x: Tensor, node: Node) -> Tensor:
    pool = pool_of(node, x.shape[1:3])
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
    dtypes=(*FLOATS, *BYTES),
    refusals=(_average_fits,),
    conditions="no divisor of its own",
)
def avg_pool(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0], channels_last(4))
    zero = low.builder.constant([0], x.dtype)
    low.set(node, pooled_average(low.builder, x, node, (zero, zero), sums_in(x.dtype), 0), channels_last(4))


def pooled_average(b: Builder, x: Tensor, node: Node, zeros: Any, accumulator: Any, fill: float) -> Tensor:
    """TOSA divides by what a window covers of the input; padding that counts is written into it."""
    pool = pool_of(node, x.shape[1:3])
    x, pads = fitted(b, x, pool)
    if argument(node, 5, "count_include_pad", True):
        # What ceil_mode adds behind the padding never counts.
        written = [min(pads[i], pool.pads[i // 2 * 2]) for i in range(4)]
        x = b.pad(x, [(0, 0), (written[0], written[1]), (written[2], written[3]), (0, 0)], fill)
        pads = [one - other for one, other in zip(pads, written, strict=True)]
    shape = [x.shape[0], *pool.output, x.shape[3]]
    attributes = pool.kernel, pool.stride, pads, accumulator
    return b.emit("AVG_POOL2D", [x, *zeros], shape, x.dtype, *attributes)


def _is_batch(node: Node) -> str | None:
    rank = node.args[0].meta[meta_keys.VAL].dim()  # type: ignore[union-attr]
    return None if rank == 4 else "pooling of other than batches of images; unsqueeze to four dimensions"


@plain("aten._adaptive_avg_pool2d.default", dtypes=(*FLOATS, *BYTES), refusals=(_is_batch,))
def adaptive_average(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0], channels_last(4))
    zero = low.builder.constant([0], x.dtype)
    low.set(node, adaptive(low.builder, x, node, (zero, zero), sums_in(x.dtype)), channels_last(4))


def adaptive(b: Builder, x: Tensor, node: Node, zeros: Any, accumulator: Any) -> Tensor:
    """A pool for each pair of runs, put together."""
    made = node.meta[meta_keys.VAL].shape[-2:]
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
