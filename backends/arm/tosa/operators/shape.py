"""Movers of data: they take every type, and integers that stand for floating-point numbers as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DTYPES, Builder, DType, Tensor
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.graph.lowering import Lowering, Order, Value, plain_order
from executorch.backends.arm.tosa.graph.registry import ANY, plain
from executorch.backends.arm.tosa.operators.elementwise import argument
from executorch.dialects import meta_keys
from executorch.ir.values import sizes_of

#: ``function(builder, tensors in PyTorch's order, node)`` of each mover; ``integer`` runs them on integers.
Mover = Callable[[Builder, Sequence[Tensor], Node], Tensor]
MOVERS: dict[str, Mover] = {}
#: ``function(builder, tensors in one order, node, the order)`` of those that work in several orders; the result has an order too.
InOrder = Callable[[Builder, Sequence[Tensor], Node, Order], tuple[Tensor, Order]]


@dataclass(frozen=True)
class OrderedMover:
    """A mover that works in several orders.

    Attributes:
        function: it.
        works_in: whether it has this order of its operands' dimensions; it always has PyTorch's.
    """

    function: InOrder
    works_in: Callable[[Node, Order], bool]

    def order(self, low: Lowering, node: Node) -> Order:
        """The order that it works in, so that the fewest are moved."""
        sources = sources_of(node)
        found = low.order_of(sources, sources[0].meta[meta_keys.VAL].dim())
        return found if self.works_in(node, found) else plain_order(len(found))


ORDERED: dict[str, OrderedMover] = {}


def _mover(*names: str, **options: Any) -> Callable[[Mover], Mover]:
    def declare(function: Mover) -> Mover:
        def lower(low: Lowering, node: Node) -> None:
            kind = DTYPES.get(node.meta[meta_keys.VAL].dtype, DType.INT32)
            tensors = [
                low.operand(one, plain_order(one.meta[meta_keys.VAL].dim()), kind) for one in sources_of(node)
            ]
            low.set(node, function(low.builder, tensors, node))

        plain(*names, dtypes=ANY, shares_parameters=True, **options)(lower)
        for name in names:
            MOVERS[name] = function
        return function

    return declare


#: Movers of two tensors.
_PUTTING = ("aten.select_scatter.default", "aten.slice_scatter.default")


def sources_of(node: Node) -> list[Node]:
    """The tensors that a mover moves; not what has no elements among those that are concatenated."""
    first = node.args[name_of(node) == "aten.copy.default"]
    if isinstance(first, list | tuple):
        return [one for one in first if one.meta[meta_keys.VAL].numel()]  # type: ignore[union-attr, misc]
    return list(node.args[:2]) if name_of(node) in _PUTTING else [first]  # type: ignore[arg-type, list-item]


def _ordered(
    name: str, works_in: Callable[[Node, Order], bool] = lambda node, order: True
) -> Callable[[InOrder], InOrder]:
    def declare(function: InOrder) -> InOrder:
        mover = OrderedMover(function, works_in)

        def lower(low: Lowering, node: Node) -> None:
            kind = DTYPES.get(node.meta[meta_keys.VAL].dtype, DType.INT32)
            order = mover.order(low, node)
            tensors = [low.operand(one, order, kind) for one in sources_of(node)]
            low.set(node, *function(low.builder, tensors, node, order))

        plain(name, dtypes=ANY, shares_parameters=True)(lower)
        ORDERED[name] = mover
        return function

    return declare


def _axis(node: Node, index: int, name: str = "dim") -> int:
    rank = sources_of(node)[0].meta[meta_keys.VAL].dim()
    return int(argument(node, index, name, 0)) % max(rank, 1)


def _keeps_together(node: Node, order: Order) -> bool:
    """Whether dimensions that become others stand side by side, as PyTorch has them."""
    old = sources_of(node)[0].meta[meta_keys.VAL].shape
    real = [one for one in order if old[one] != 1]
    for dims, _ in groups_of(old, sizes_of(node)):
        own = [one for one in dims if old[one] != 1]
        start = real.index(own[0]) if own else 0
        if own != real[start : start + len(own)]:
            return False
    return True


def groups_of(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Dimensions of one shape that hold as much as some of another, both in order; all of them where there is nothing to hold."""
    if 0 in (*old, *new):
        return [([*range(len(old))], [*range(len(new))])]
    found = []
    i = j = 0
    while i < len(old) or j < len(new):
        starts = i, j
        i, j = min(i + 1, len(old)), min(j + 1, len(new))
        while (have := math.prod(old[starts[0] : i])) != (want := math.prod(new[starts[1] : j])):
            i, j = i + (have < want), j + (have > want)
        found.append(([*range(starts[0], i)], [*range(starts[1], j)]))
    return found


@_ordered("aten.view_copy.default", _keeps_together)
def view(b: Builder, x: Sequence[Tensor], node: Node, order: Order) -> tuple[Tensor, Order]:
    old, shape = sources_of(node)[0].meta[meta_keys.VAL].shape, sizes_of(node)
    made = plain_order(len(shape))
    if order != plain_order(len(order)):
        groups = groups_of(old, shape)
        # What is of one element may stand anywhere.
        groups.sort(key=lambda one: min((order.index(dim) for dim in one[0] if old[dim] != 1), default=-1))
        made = tuple(dim for _, dims in groups for dim in dims)
    return b.reshape(x[0], [shape[one] for one in made]), made


def renamed(order: Order, node: Node) -> Order:
    """What an order of the dimensions of ``permute_copy``'s operand is in those of its result."""
    places = [int(one) % len(order) for one in node.args[1]]  # type: ignore[union-attr, arg-type]
    return tuple(places.index(one) for one in order)


@plain("aten.permute_copy.default", dtypes=ANY, shares_parameters=True)
def permute(low: Lowering, node: Node) -> None:
    """Dimensions have other names; nothing is moved until someone asks for another order."""
    value = low.dequantized(low.value(node.args[0]))
    low.native(value)
    forms = {renamed(order, node): tensor for order, tensor in value.forms.items()}
    low.values[node] = Value(tuple(sizes_of(node)), forms)


def with_ones(b: Builder, x: Tensor, order: Order, node: Node) -> tuple[Order, Tensor]:
    """A tensor in some order of dimensions as ``squeeze_copy`` and ``unsqueeze_copy`` want it: nothing is moved."""
    rank = len(sizes_of(node))
    if name_of(node) == "aten.unsqueeze_copy.default":
        new = int(node.args[1]) % rank  # type: ignore[arg-type, call-overload]
        made = (*(one + (one >= new) for one in order), new)
        return made, b.reshape(x, [*x.shape, 1])
    dims: Any = node.args[1]
    gone = {int(one) % len(order) for one in dims}
    gone = {one for one in gone if x.shape[order.index(one)] == 1}
    made = tuple(one - sum(other < one for other in gone) for one in order if one not in gone)
    return made, b.reshape(x, [size for size, one in zip(x.shape, order, strict=True) if one not in gone])


@plain("aten.squeeze_copy.dims", "aten.unsqueeze_copy.default", dtypes=ANY, shares_parameters=True)
def change_rank(low: Lowering, node: Node) -> None:
    order, x = low.native(low.dequantized(low.value(node.args[0])))
    order, made = with_ones(low.builder, x, order, node)
    low.set(node, made, order)


def part(b: Builder, x: Tensor, axis: int, start: int, length: int) -> Tensor:
    """A slice along one dimension."""
    starts, sizes = [0] * len(x.shape), list(x.shape)
    starts[axis], sizes[axis] = start, length
    return b.slice(x, starts, sizes)


def every(b: Builder, x: Tensor, axis: int, start: int, stop: int, step: int) -> Tensor:
    """A slice with steps: cut into groups of ``step``, of each of which the first is taken."""
    if step == 1:
        return part(b, x, axis, start, stop - start)
    count = math.ceil((stop - start) / step)
    there = min(x.shape[axis] - start, count * step)
    cut = part(b, x, axis, start, there)
    widths = [(0, count * step - there if i == axis else 0) for i in range(len(x.shape))]
    filled = b.pad(cut, widths, 0)
    before, after = list(x.shape[:axis]), list(x.shape[axis + 1 :])
    grouped = b.reshape(filled, [math.prod(before), count, step, math.prod(after)])
    return b.reshape(part(b, grouped, 2, 0, 1), [*before, count, *after])


@_ordered("aten.slice_copy.Tensor")
def slices(b: Builder, x: Sequence[Tensor], node: Node, order: Order) -> tuple[Tensor, Order]:
    axis = order.index(_axis(node, 1))
    size = x[0].shape[axis]
    start, stop = argument(node, 2, "start"), argument(node, 3, "end")
    start, stop, step = slice(start, stop, argument(node, 4, "step", 1)).indices(size)
    return every(b, x[0], axis, start, stop, step), order


@_ordered("aten.select_copy.int")
def select(b: Builder, x: Sequence[Tensor], node: Node, order: Order) -> tuple[Tensor, Order]:
    gone = _axis(node, 1)
    axis = order.index(gone)
    index = int(node.args[2]) % x[0].shape[axis]  # type: ignore[arg-type, call-overload]
    made = part(b, x[0], axis, index, 1)
    left = tuple(one - (one > gone) for one in order if one != gone)
    return b.reshape(made, [*made.shape[:axis], *made.shape[axis + 1 :]]), left


def _put(b: Builder, x: Tensor, part_of_it: Tensor, axis: int, places: range) -> Tensor:
    """``x`` with other elements at places along one dimension: cut apart, or chosen by a constant mask where there are steps."""
    start, step, count, size = places.start, places.step, len(places), x.shape[axis]
    if not count:
        return x
    if step == 1:
        parts = [part(b, x, axis, 0, start)] if start else []
        rest = size - start - count
        parts += [part_of_it, *([part(b, x, axis, start + count, rest)] if rest else [])]
        return b.concat(parts, axis)
    before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    apart = b.reshape(part_of_it, [before, count, 1, after])
    apart = b.reshape(b.pad(apart, [(0, 0), (0, 0), (0, step - 1), (0, 0)], 0), [before, count * step, after])
    behind = size - start - count * step
    if behind < 0:
        apart = part(b, apart, 1, 0, size - start)
    apart = b.reshape(b.pad(apart, [(0, 0), (start, max(behind, 0)), (0, 0)], 0), x.shape)
    mask = np.isin(np.arange(size), list(places)).reshape(
        [-1 if i == axis else 1 for i in range(len(x.shape))]
    )
    return b.select(b.constant(mask, DType.BOOL), apart, x)


@_mover("aten.slice_scatter.default")
def slice_scatter(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    axis = int(argument(node, 2, "dim", 0)) % len(x[0].shape)
    bounds = argument(node, 3, "start"), argument(node, 4, "end"), argument(node, 5, "step", 1)
    return _put(b, x[0], x[1], axis, range(*slice(*bounds).indices(x[0].shape[axis])))


@_mover("aten.select_scatter.default", keeps_whole=True)
def select_scatter(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    axis = int(node.args[2]) % len(x[0].shape)  # type: ignore[arg-type, call-overload]
    at = int(node.args[3]) % x[0].shape[axis]  # type: ignore[arg-type, call-overload]
    shape = list(x[0].shape)
    shape[axis] = 1
    return _put(b, x[0], b.reshape(x[1], shape), axis, range(at, at + 1))


@_ordered("aten.cat.default")
def cat(b: Builder, x: Sequence[Tensor], node: Node, order: Order) -> tuple[Tensor, Order]:
    return b.concat(x, order.index(_axis(node, 1))), order


@_mover("aten.diagonal_copy.default")
def diagonal(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    """Every so many of the elements of two dimensions, laid flat."""
    rank, offset = len(x[0].shape), int(argument(node, 1, "offset", 0))
    pair = [int(argument(node, *one)) % rank for one in ((2, "dim1", 0), (3, "dim2", 1))]
    moved = b.transpose(x[0], [*(one for one in range(rank) if one not in pair), *pair])
    wide, count = moved.shape[-1], sizes_of(node)[-1]
    start = offset if offset >= 0 else -offset * wide
    flat = b.reshape(moved, [*moved.shape[:-2], math.prod(moved.shape[-2:])])
    return every(b, flat, rank - 2, start, start + (count - 1) * (wide + 1) + 1, wide + 1)


@_mover("aten.expand_copy.default", "aten.repeat.default")
def expand(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    shape = sizes_of(node)
    wide = b.reshape(x[0], [1] * (len(shape) - len(x[0].shape)) + list(x[0].shape))
    return b.tile(wide, [a // c for a, c in zip(shape, wide.shape, strict=True)])


@_mover("aten.copy.default")
def overwritten(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    """What is copied, in the shape of what it is copied to."""
    return expand(b, x, node)


def _strides(node: Node) -> tuple[list[int], list[int], int]:
    """Sizes, strides and the first place."""
    start = argument(node, 3, "storage_offset")
    return list(node.args[1]), list(node.args[2]), int(start or 0)  # type: ignore[arg-type]


def is_cut_out(node: Node) -> bool:
    """Whether strided elements stand one behind the other."""
    sizes, strides, _ = _strides(node)
    count = math.prod(sizes)
    for size, stride in zip(sizes, strides, strict=True):
        count //= size
        if size > 1 and stride != count:
            return False
    return True


def _lies_plain(node: Node) -> str | None:
    value = node.args[0].meta[meta_keys.VAL]  # type: ignore[union-attr]
    if value.dim_order() != tuple(range(value.dim())):
        return "strides in memory that is not in order of dimensions; call contiguous() before"
    if not is_cut_out(node) and value.dtype is torch.bool:
        return "truths picked by strides; use slices"
    return None


@_mover("aten.as_strided_copy.default", refusals=(_lies_plain,))
def strided(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    """A slice of all elements, or elements picked by their numbers."""
    sizes, strides, start = _strides(node)
    count = math.prod(sizes)
    flat = b.reshape(x[0], [math.prod(x[0].shape)])
    if is_cut_out(node):
        return b.reshape(part(b, flat, 0, start, count), sizes)
    places = np.full(sizes, start, np.int32)
    for i, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        places += (np.arange(size) * stride).reshape([-1 if i == axis else 1 for axis in range(len(sizes))])
    numbers = b.constant(places.reshape(1, count), DType.INT32)
    return b.reshape(b.gather(b.reshape(flat, [1, flat.shape[0], 1]), numbers), sizes)


def _has_dimensions(node: Node) -> str | None:
    rank = node.args[0].meta[meta_keys.VAL].dim()  # type: ignore[union-attr]
    return None if rank else "a tensor without dimensions"


@_mover("aten.unfold_copy.default", refusals=(_has_dimensions,))
def unfold(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    """Windows side by side, or their first elements, their second ones and so on: whichever are fewer slices."""
    axis = _axis(node, 1)
    size, step = int(node.args[2]), int(node.args[3])  # type: ignore[arg-type, call-overload]
    count = sizes_of(node)[axis]
    before, after = math.prod(x[0].shape[:axis]), math.prod(x[0].shape[axis + 1 :])
    if count <= size:
        windows = [part(b, x[0], axis, at * step, size) for at in range(count)]
        rows = b.reshape(b.concat(windows, axis), [before, count, size, after])
        return b.reshape(b.transpose(rows, [0, 1, 3, 2]), sizes_of(node))
    last = (count - 1) * step + 1
    places = [every(b, x[0], axis, at, at + last, step) for at in range(size)]
    apart = [b.reshape(one, [before * count * after, 1]) for one in places]
    return b.reshape(b.concat(apart, 1), sizes_of(node))


@_mover("aten.flip.default")
def flip(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    made = x[0]
    for axis in node.args[1]:  # type: ignore[union-attr]
        made = b.emit("REVERSE", [made], made.shape, made.dtype, int(axis) % len(made.shape))  # type: ignore[arg-type]
    return made


@_mover("aten.pixel_shuffle.default", keeps_whole=True)
def pixel_shuffle(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    factor = int(node.args[1])  # type: ignore[arg-type, call-overload]
    *batch, channels, height, width = x[0].shape
    n = math.prod(batch)
    split = b.reshape(x[0], [n, channels // factor**2, factor, factor, height * width])
    split = b.reshape(split, [n * (channels // factor**2), factor, factor, height, width])
    return b.reshape(b.transpose(split, [0, 3, 1, 4, 2]), sizes_of(node))


@_mover("aten.pixel_unshuffle.default", keeps_whole=True)
def pixel_unshuffle(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    factor = int(node.args[1])  # type: ignore[arg-type, call-overload]
    *batch, channels, height, width = x[0].shape
    n = math.prod(batch) * channels
    split = b.reshape(x[0], [n, height // factor, factor, width // factor, factor])
    return b.reshape(b.transpose(split, [0, 2, 4, 1, 3]), sizes_of(node))


def _pads_only(node: Node) -> str | None:
    widths = node.args[1]
    cuts = any(isinstance(one, int) and one < 0 for one in widths)  # type: ignore[union-attr]
    return "negative padding; use a slice" if cuts else None


@_mover("aten.constant_pad_nd.default", refusals=(_pads_only,))
def pad(b: Builder, x: Sequence[Tensor], node: Node) -> Tensor:
    return padded(b, x[0], node, argument(node, 2, "value", 0.0))


def padded(b: Builder, x: Tensor, node: Node, value: float) -> Tensor:
    """Padding of the last dimensions, given from the last one on."""
    flat = list(node.args[1])  # type: ignore[arg-type]
    pairs = [(flat[i], flat[i + 1]) for i in range(0, len(flat), 2)][::-1]
    widths = [(0, 0)] * (len(x.shape) - len(pairs)) + pairs
    return b.pad(x, widths, value)


@plain(
    "dim_order_ops._clone_dim_order.default",
    dtypes=ANY,
    shares_parameters=True,
)
def copy(low: Lowering, node: Node) -> None:
    low.values[node] = low.value(node.args[0])


def _is_narrow(node: Node) -> str | None:
    wide = node.meta[meta_keys.VAL].dtype is torch.int64
    return "a conversion to int64, which TOSA 1.0 has not; convert to int32 (.int())" if wide else None


@plain("dim_order_ops._to_dim_order_copy.default", dtypes=ANY, refusals=(_is_narrow,))
def convert(low: Lowering, node: Node) -> None:
    """Between types; floating point to integers loses the fraction in PyTorch, and is rounded in TOSA."""
    source, target = node.args[0].meta[meta_keys.VAL].dtype, node.meta[meta_keys.VAL].dtype  # type: ignore[union-attr]
    order, x = low.native(low.dequantized(low.value(node.args[0])))
    b = low.builder
    if target is torch.bool and source is not torch.bool:
        made = b.unary("LOGICAL_NOT", b.compare("EQUAL", x, b.scalar(0, x)))
    elif source.is_floating_point and not target.is_floating_point:
        below = b.compare("GREATER", b.scalar(0.0, x), x)
        made = b.cast(b.select(below, b.unary("CEIL", x), b.unary("FLOOR", x)), DTYPES[target])
    else:
        # There is no conversion between the two of 16 bits.
        both = {source, target} == {torch.bfloat16, torch.float16}
        made = b.cast(b.cast(x, DType.FP32) if both else x, DTYPES[target])
    low.set(node, made, order)


@plain("aten.split_with_sizes_copy.default", "aten.split_copy.Tensor", dtypes=ANY)
def split(low: Lowering, node: Node) -> None:
    x = low.tensor(node.args[0])
    parts = node.meta[meta_keys.VAL]
    axis = int(argument(node, 2, "dim", 0)) % len(x.shape)
    at = 0
    found = []
    for one in parts:
        length = one.shape[axis]
        found.append(low.made(low.builder.reshape(part(low.builder, x, axis, at, length), one.shape)))
        at += length
    low.values[node] = found
