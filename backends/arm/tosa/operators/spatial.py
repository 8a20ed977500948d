"""Convolutions and resizing in floating point; geometry that the integer forms share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import Builder, DType, ResizeMode, Tensor
from executorch.backends.arm.tosa.graph.lowering import Lowering, channels_last
from executorch.backends.arm.tosa.graph.narrow import sums_in
from executorch.backends.arm.tosa.graph.registry import BYTES, FLOATS, IsConstant, plain
from executorch.backends.arm.tosa.operators.resampled import resampled
from executorch.backends.arm.tosa.operators.shape import part
from executorch.dialects import meta_keys


@dataclass(frozen=True)
class Convolution:
    """Geometry of a convolution of two or three dimensions; one of one dimension has a height of 1."""

    node: Node
    stride: list[int]
    padding: list[int]
    dilation: list[int]
    transposed: bool
    output_padding: list[int]
    groups: int
    was_1d: bool

    @staticmethod
    def of(node: Node) -> Convolution:
        """Of an ``aten.convolution``."""
        stride, padding, dilation, transposed, output_padding, groups = node.args[3:9]
        lists = [list(one) for one in (stride, padding, dilation, output_padding)]  # type: ignore[arg-type]
        rank = node.args[0].meta[meta_keys.VAL].dim() - 2  # type: ignore[union-attr]
        lists = [one * rank if len(one) == 1 else one for one in lists]
        if rank == 1:
            lists = [[fill, *one] for fill, one in zip((1, 0, 1, 0), lists, strict=True)]
        made = lists[0], lists[1], lists[2], bool(transposed), lists[3], int(groups), rank == 1  # type: ignore[arg-type, call-overload]
        return Convolution(node, *made)

    @property
    def pads(self) -> list[int]:
        """Before and after, for each dimension."""
        return [one for size in self.padding for one in (size, size)]


#: ``make(op, x, filters, bias, shape, attributes)``: the operator itself, with what goes with its types.
Make = Callable[[str, Tensor, np.ndarray, np.ndarray, Sequence[int], Sequence[Any]], Tensor]


def _filters_are_constant(node: Node, is_constant: IsConstant) -> str | None:
    if not is_constant(node.args[1]):  # type: ignore[arg-type]
        return "filters that are calculated or given; TOSA wants them in another order, which is made ahead of time"
    bias = node.args[2]
    if isinstance(bias, Node) and not is_constant(bias):
        return "a bias that is calculated or given; add it behind the convolution"
    return None


def _geometry_fits(node: Node) -> str | None:
    shape = node.args[0].meta[meta_keys.VAL].shape  # type: ignore[union-attr]
    if len(shape) not in (3, 4, 5):
        return f"a convolution of {len(shape) - 2} dimensions; TOSA has one to three"
    found = Convolution.of(node)
    if not found.transposed:
        return None
    if len(shape) == 5:
        return "a transposed convolution of three dimensions, which TOSA has not"
    if any(one != 1 for one in found.dilation):
        return "a transposed convolution with dilation, which TOSA has not; write zeros into the filter"
    return None


@plain(
    "aten.convolution.default",
    dtypes=(*FLOATS, *BYTES),
    refusals=(_geometry_fits,),
    constant_refusals=(_filters_are_constant,),
    conditions="constant filters and bias; transposed: two dimensions at most, no dilation",
)
def convolution(low: Lowering, node: Node) -> None:
    value = low.dequantized(low.value(node.args[0]))
    weight = low.constants(node.args[1])  # type: ignore[arg-type]
    assert weight is not None
    x, found = image(low, value), Convolution.of(node)
    dtype = x.dtype
    zero = low.builder.constant([0], dtype)
    outputs = weight.shape[1] * found.groups if found.transposed else weight.shape[0]
    given = low.constants(node.args[2]) if isinstance(node.args[2], Node) else None
    bias = np.zeros(outputs, np.float32) if given is None else given.float().numpy()

    def make(
        op: str, x: Tensor, filters: Any, bias: Any, shape: Sequence[int], more: Sequence[Any]
    ) -> Tensor:
        b = low.builder
        # Of 8 bits are the operands only.
        made = sums_in(dtype) if dtype in (DType.FP8E4M3, DType.FP8E5M2) else dtype
        inputs = [x, b.constant(filters, dtype), b.constant(bias, made), zero, zero]
        return b.cast(b.emit(op, inputs, shape, made, *more, False, sums_in(dtype)), dtype)

    made = convolve(low.builder, x, weight.float().numpy(), bias, found, make)
    finish_image(low, node, made, found.was_1d)


def image(low: Lowering, value: Any) -> Tensor:
    """The input with channels last; one of one dimension gets a height of 1."""
    rank = len(value.shape)
    x = low.form(value, channels_last(rank))
    return low.builder.reshape(x, [x.shape[0], 1, *x.shape[1:]]) if rank == 3 else x


def finish_image(
    low: Lowering, node: Node, made: Tensor, was_1d: bool, quant: Any = None, into: Any = None
) -> None:
    """The result of an operator on an image."""
    if was_1d:
        made = low.builder.reshape(made, [made.shape[0], *made.shape[2:]])
    low.set(into or node, made, channels_last(len(made.shape)), quant)


def convolve(
    b: Builder, x: Tensor, weight: np.ndarray, bias: np.ndarray, c: Convolution, make: Make
) -> Tensor:
    """All kinds of convolution. ``weight`` is in PyTorch's order."""
    if c.was_1d:
        weight = weight[:, :, None, :]
    if c.transposed:
        return _transposed(b, x, weight, bias, c, make)
    rank = len(x.shape) - 2
    sizes = list(weight.shape[2:])
    x, pads = _trimmed(b, x, sizes, c)
    space = [
        (x.shape[1 + i] + pads[2 * i] + pads[2 * i + 1] - c.dilation[i] * (sizes[i] - 1) - 1) // c.stride[i]
        + 1
        for i in range(rank)
    ]
    attributes = [pads, c.stride, c.dilation]
    outputs, channels = weight.shape[0], x.shape[-1]
    shape = [x.shape[0], *space, outputs]
    last = np.moveaxis(weight, 1, -1)
    if rank == 2 and c.groups == channels and c.groups > 1:
        # [C * M, 1, KH, KW] -> [KH, KW, C, M]
        filters = weight.reshape(channels, -1, *sizes).transpose(2, 3, 0, 1)
        return make("DEPTHWISE_CONV2D", x, filters, bias, shape, attributes)
    op = "CONV2D" if rank == 2 else "CONV3D"
    if c.groups == 1:
        return make(op, x, last, bias, shape, attributes)
    parts = []
    each_in, each_out = channels // c.groups, outputs // c.groups
    for group in range(c.groups):
        rows = slice(group * each_out, (group + 1) * each_out)
        source = part(b, x, len(x.shape) - 1, group * each_in, each_in)
        parts.append(make(op, source, last[rows], bias[rows], [*shape[:-1], each_out], attributes))
    return b.concat(parts, len(shape) - 1)


def _trimmed(b: Builder, x: Tensor, sizes: Sequence[int], c: Convolution) -> tuple[Tensor, list[int]]:
    """TOSA wants windows that end where the input does; what PyTorch does not read is cut off, or not padded."""
    pads = c.pads
    for i, size in enumerate(sizes):
        covered = x.shape[1 + i] + pads[2 * i] + pads[2 * i + 1] - c.dilation[i] * (size - 1) - 1
        rest = covered % c.stride[i]
        pads[2 * i + 1] -= rest
        if pads[2 * i + 1] < 0:
            x = part(b, x, 1 + i, 0, x.shape[1 + i] + pads[2 * i + 1])
            pads[2 * i + 1] = 0
    return x, pads


def _transposed(
    b: Builder, x: Tensor, weight: np.ndarray, bias: np.ndarray, c: Convolution, make: Make
) -> Tensor:
    """``out_pad`` is what is added to the full result; PyTorch's padding takes off."""
    each = weight.shape[1]
    space = [(x.shape[1 + i] - 1) * c.stride[i] + weight.shape[2 + i] for i in range(2)]
    out_pad, cut = [], []
    for i in range(2):
        low, high = -c.padding[i], c.output_padding[i] - c.padding[i]
        limit = weight.shape[2 + i] - 1
        # TOSA takes off less than a filter; more is a slice.
        out_pad += [max(low, -limit), max(high, -limit)]
        cut.append((max(low, -limit) - low, max(high, -limit) - high))
        space[i] += out_pad[-2] + out_pad[-1]
    parts = []
    each_in = x.shape[-1] // c.groups
    for group in range(c.groups):
        rows = slice(group * each_in, (group + 1) * each_in)
        source = part(b, x, 3, group * each_in, each_in)
        filters = weight[rows].transpose(1, 2, 3, 0)
        added = bias[group * each : (group + 1) * each]
        parts.append(
            make("TRANSPOSE_CONV2D", source, filters, added, [x.shape[0], *space, each], [out_pad, c.stride])
        )
    made = b.concat(parts, 3)
    for i, (before, after) in enumerate(cut):
        if before or after:
            made = part(b, made, 1 + i, before, made.shape[1 + i] - before - after)
    return made


#: Largest numerator and denominator of a resize in TOSA's level 8K, and what the specification allows besides.
_MOST_SCALE = 1 << 11


@dataclass(frozen=True)
class Resize:
    """``scale`` (numerator and denominator for height, then width), ``offset`` and ``border`` of TOSA's operator."""

    scale: list[int]
    offset: list[int]
    border: list[int]


def resize_of(node: Node) -> Resize | str:
    """Positions that PyTorch reads, as fractions; the reason where there are none."""
    shape, made = node.args[0].meta[meta_keys.VAL].shape, node.meta[meta_keys.VAL].shape  # type: ignore[union-attr]
    bilinear = "bilinear" in str(node.target)
    corners = bilinear and bool(node.args[2])
    given = node.args[-1] if isinstance(node.args[-1], list | tuple) and len(node.args) > 2 else None
    scale, offset, border = [], [], []
    for i, (a, c) in enumerate(zip(shape[-2:], made[-2:], strict=True)):
        if given is not None and int(a * float(given[i])) == c and abs(a * float(given[i]) - c) > 1e-6:  # type: ignore[arg-type]
            return (
                "a scale factor that is not a ratio of the sizes; give sizes, or recompute_scale_factor=True"
            )
        n, d = (c - 1, a - 1) if corners and c > 1 and a > 1 else (c, a)
        common = int(np.gcd(n, d))
        n, d = n // common, d // common
        # Half a step needs an even denominator.
        n, d = (n, d) if corners else (2 * n, 2 * d)
        start = 0 if corners or not bilinear else (d - n) // 2
        scale += [n, d]
        offset.append(start)
        border.append(int((c - 1) * d - (a - 1) * n + start))
    if max(scale) > _MOST_SCALE or any(d >= 16 * n for n, d in zip(scale[::2], scale[1::2], strict=True)):
        return (
            f"a ratio of {scale}, of which TOSA takes {_MOST_SCALE} at most, and a reduction by less than 16"
        )
    if any(one < -n or one >= 16 * n for one, n in zip(offset, scale[::2], strict=True)):
        return "an offset that TOSA does not take"
    return Resize(scale, offset, border)


def _resizes(node: Node) -> str | None:
    images = node.args[0].meta[meta_keys.VAL].dim() == 4  # type: ignore[union-attr]
    return None if images else "resizing of other than batches of images"


def resized(b: Builder, x: Tensor, node: Node, dtype: Any) -> Tensor:
    """TOSA's operator; nearest takes the element at the start of a position, as PyTorch does."""
    found = resize_of(node)
    assert isinstance(found, Resize)
    nearest = "nearest" in str(node.target)
    scale, offset, border = found.scale, found.offset, found.border
    if nearest:
        # TOSA rounds to the closest, halves up; PyTorch rounds down: half a step less.
        offset = [-n // 2 for n in scale[::2]]
        made = node.meta[meta_keys.VAL].shape[-2:]
        border = [
            (c - 1) * d - (a - 1) * n + o
            for a, c, n, d, o in zip(x.shape[1:3], made, scale[::2], scale[1::2], offset, strict=True)
        ]
    mode = ResizeMode.NEAREST if nearest else ResizeMode.BILINEAR
    shape = [x.shape[0], *node.meta[meta_keys.VAL].shape[-2:], x.shape[3]]
    inputs: list[Tensor | str] = [x, b.shape(scale), b.shape(offset), b.shape(border)]
    return b.emit("RESIZE", inputs, shape, dtype, mode)


@plain(
    "aten.upsample_nearest2d.vec",
    "aten.upsample_bilinear2d.vec",
    refusals=(_resizes,),
    conditions="on integers, ratios of sizes up to 2048 in lowest terms, reductions below 16",
    keeps_whole=True,
)
def resize(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0], channels_last(4))
    has_ratio = not isinstance(resize_of(node), str)
    made = resized(low.builder, x, node, x.dtype) if has_ratio else resampled(low.builder, x, node)
    low.set(node, made, channels_last(4))


__all__ = ["Convolution", "convolve", "resize_of"]
