"""Elements by their numbers: picked, and put."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.fx import Node

from executorch.backends.arm.tosa.graph.builder import DType, Tensor
from executorch.backends.arm.tosa.graph.constants import name_of
from executorch.backends.arm.tosa.graph.lowering import Lowering, plain_order
from executorch.backends.arm.tosa.graph.registry import BYTES, NUMBERS, plain
from executorch.backends.arm.tosa.operators.elementwise import argument
from executorch.backends.arm.tosa.operators.matrix import product
from executorch.backends.arm.tosa.operators.shape import part
from executorch.dialects import meta_keys
from executorch.ir.values import sizes_of

_PICKED = (*NUMBERS, torch.int16, torch.int8, torch.int64, *BYTES)


def indices_of(node: Node) -> list[Any]:
    """What a call counts with: tensors, and None for dimensions that stay."""
    given = node.args[1] if isinstance(node.args[1], list | tuple | Node) else node.args[2]
    return list(given) if isinstance(given, list | tuple) else [given]


def _indices_are_int32(node: Node, is_constant: Callable[[Node], bool]) -> str | None:
    for one in indices_of(node):
        if (
            isinstance(one, Node)
            and one.meta[meta_keys.VAL].dtype is torch.int64
            and one.op != "placeholder"
            and not is_constant(one)
        ):
            return (
                "indices of type int64 that are calculated; TOSA 1.0 has int32 at most, convert them (.int())"
            )
    return None


@plain(
    "aten.embedding.default",
    "aten.index_select.default",
    dtypes=_PICKED,
    constant_refusals=(_indices_are_int32,),
)
def pick(low: Lowering, node: Node) -> None:
    low.set(node, picked(low, node, low.tensor(node.args[0])))


def picked(low: Lowering, node: Node, x: Tensor) -> Tensor:
    """Elements or slices, by their numbers."""
    if name_of(node) == "aten.gather.default":
        return _gathered(low, node, x)
    given = indices_of(node)
    axis = int(node.args[1]) % len(x.shape) if isinstance(node.args[1], int) else 0
    if len(given) > 1:
        places = Places.of(node)
        if len(places.dims) > 1:
            return _picked_by_several(low, node, x, places)
        (axis,) = places.dims
        given = [given[axis]]
    b = low.builder
    where = _numbers(
        low, given[0], x.shape[axis], given[0].meta[meta_keys.VAL].dim(), "index.Tensor" in name_of(node)
    )
    before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    values = b.reshape(x, [before, x.shape[axis], after])
    count = math.prod(where.shape)
    flat = b.tile(b.reshape(where, [1, count]), [before, 1])
    return b.reshape(b.gather(values, flat), sizes_of(node))


@dataclass(frozen=True)
class Places:
    """How tensors count in several dimensions at once.

    Attributes:
        dims: those that are counted in.
        rest: the others.
        shape: of what the tensors are together.
        after: the result's dimensions, each as its place among ``shape`` and then ``rest``.
    """

    dims: list[int]
    rest: list[int]
    shape: list[int]
    after: list[int]

    @staticmethod
    def of(node: Node) -> Places:
        """Of an ``index`` or ``index_put``: side by side they stay where they are, else they come first."""
        rank = node.args[0].meta[meta_keys.VAL].dim()  # type: ignore[union-attr]
        given = indices_of(node)
        dims = [i for i, one in enumerate(given) if one is not None]
        rest = [i for i in range(rank) if i not in dims]
        shapes = [one.meta[meta_keys.VAL].shape for one in given if one is not None]
        shape = [int(one) for one in np.broadcast_shapes(*map(tuple, shapes))]
        adjacent = dims[-1] - dims[0] == len(dims) - 1
        before = dims[0] if adjacent else 0
        first = list(range(len(shape)))
        others = [len(shape) + i for i in range(len(rest))]
        return Places(dims, rest, shape, [*others[:before], *first, *others[before:]])


def _numbers(low: Lowering, index: Node, size: int, rank: int, counts_back: bool) -> Tensor:
    """Indices as int32 from 0 on, where negative ones may count back from the end."""
    b, constant = low.builder, low.constants(index)
    if constant is not None:
        whole = torch.where(constant < 0, constant + size, constant).int()
        return b.constant(whole.reshape([1] * (rank - whole.dim()) + list(whole.shape)).numpy(), DType.INT32)
    found = low.operand(index, plain_order(rank), DType.INT32)
    if not counts_back:
        return found
    return b.select(
        b.compare("GREATER", b.scalar(0, found), found), b.add(found, b.scalar(size, found)), found
    )


def _rows(low: Lowering, node: Node, shape: Sequence[int], places: Places) -> Tensor:
    """``[1, W]``: for each element of the indices the number of its row among the counted dimensions, laid flat."""
    b, made = low.builder, None
    given = indices_of(node)
    for dim in places.dims:
        numbers = _numbers(low, given[dim], shape[dim], len(places.shape), True)
        made = numbers if made is None else b.add(b.mul(made, b.scalar(shape[dim], made)), numbers)
    assert made is not None
    full = b.tile(made, [a // c for a, c in zip(places.shape, made.shape, strict=True)])
    return b.reshape(full, [1, math.prod(places.shape)])


def _as_rows(low: Lowering, x: Tensor, places: Places) -> Tensor:
    moved = low.builder.transpose(x, [*places.dims, *places.rest])
    rows = math.prod(x.shape[one] for one in places.dims)
    return low.builder.reshape(moved, [1, rows, math.prod(x.shape) // rows])


def _picked_by_several(low: Lowering, node: Node, x: Tensor, places: Places) -> Tensor:
    b = low.builder
    found = b.gather(_as_rows(low, x, places), _rows(low, node, x.shape, places))
    wide = b.reshape(found, [*places.shape, *(x.shape[one] for one in places.rest)])
    return b.transpose(wide, places.after)


def _gathered(low: Lowering, node: Node, x: Tensor) -> Tensor:
    """An element of its own for each index."""
    b, rank = low.builder, len(x.shape)
    axis, index = int(node.args[1]) % rank, node.args[2]  # type: ignore[arg-type, call-overload]
    where = _numbers(low, index, x.shape[axis], rank, False)  # type: ignore[arg-type]
    for dim in range(rank):
        if dim != axis:
            x = part(b, x, dim, 0, where.shape[dim])
    order = [*(one for one in range(rank) if one != axis), axis]
    values, numbers = b.transpose(x, order), b.transpose(where, order)
    rows = math.prod(values.shape[:-1])
    found = b.gather(
        b.reshape(values, [rows, values.shape[-1], 1]), b.reshape(numbers, [rows, numbers.shape[-1]])
    )
    return b.transpose(b.reshape(found, numbers.shape), [order.index(one) for one in range(rank)])


def _no_mask(node: Node) -> str | None:
    if any(
        one is not None and one.meta[meta_keys.VAL].dtype in (torch.bool, torch.uint8)
        for one in indices_of(node)
    ):
        return "a mask as index, whose result has no fixed size; use torch.where"
    return None


@plain("aten.index.Tensor", dtypes=_PICKED, refusals=(_no_mask,), constant_refusals=(_indices_are_int32,))
def index(low: Lowering, node: Node) -> None:
    low.set(node, picked(low, node, low.tensor(node.args[0])))


@plain("aten.gather.default", dtypes=_PICKED, constant_refusals=(_indices_are_int32,))
def gather(low: Lowering, node: Node) -> None:
    low.set(node, picked(low, node, low.tensor(node.args[0])))


#: Elements of the matrix that says which row a sum goes to.
_MOST_SUMMED = 1 << 20


def _puts(node: Node) -> str | None:
    why = _no_mask(node)
    if why is not None or not argument(node, 3, "accumulate", False):
        return why
    if not node.meta[meta_keys.VAL].is_floating_point():
        return "integers that are added at indices, of which several may be one; use floating point"
    places, shape = Places.of(node), node.meta[meta_keys.VAL].shape
    size = math.prod(shape[one] for one in places.dims) * math.prod(places.shape)
    return f"sums at indices that take a matrix of {size} elements" if size > _MOST_SUMMED else None


@plain(
    "aten.index_put.default",
    dtypes=_PICKED,
    refusals=(_puts,),
    constant_refusals=(_indices_are_int32,),
    conditions="no index twice, unless floating-point numbers are added (accumulate)",
)
def index_put(low: Lowering, node: Node) -> None:
    x, values = low.tensor(node.args[0]), low.tensor(node.args[2])
    low.set(node, put(low, node, x, values))


#: ``sums(matrix of zeros and ones, rows)``, added to ``table``.
Adding = Callable[[Tensor, Tensor, Tensor], Tensor]


def put(low: Lowering, node: Node, x: Tensor, values: Tensor, add: Adding | None = None) -> Tensor:
    """``x`` with ``values`` at indices, or with their sums, which ``add`` makes (a product and a sum by default)."""
    b, places = low.builder, Places.of(node)
    together = [*places.shape, *(x.shape[one] for one in places.rest)]
    shape = [together[one] for one in places.after]
    wide = b.reshape(values, [1] * (len(shape) - len(values.shape)) + list(values.shape))
    wide = b.tile(wide, [a // c for a, c in zip(shape, wide.shape, strict=True)])
    first = b.transpose(wide, [places.after.index(one) for one in range(len(shape))])
    table, numbers = _as_rows(low, x, places), _rows(low, node, x.shape, places)
    rows = b.reshape(first, [1, numbers.shape[1], table.shape[2]])
    if argument(node, 3, "accumulate", False):
        which = _belonging(low, numbers, table.shape[1], rows.dtype)
        made = b.add(table, product(low, which, rows)) if add is None else add(table, which, rows)
    else:
        made = b.emit("SCATTER", [table, numbers, rows], table.shape, table.dtype)
    order = [*places.dims, *places.rest]
    back = b.reshape(made, [x.shape[one] for one in order])
    return b.transpose(back, [order.index(one) for one in range(len(order))])


def _belonging(low: Lowering, numbers: Tensor, count: int, dtype: Any) -> Tensor:
    """For each of ``count`` rows a one where a number is its own: a product with it sums up what belongs to a row."""
    b = low.builder
    each = b.constant(np.arange(count).reshape(1, count, 1), DType.INT32)
    same = b.compare("EQUAL", each, b.reshape(numbers, [numbers.shape[0], 1, numbers.shape[1]]))
    return b.cast(b.cast(same, DType.INT8), dtype)


def _scatters(node: Node) -> str | None:
    x, index = (one.meta[meta_keys.VAL] for one in (node.args[0], node.args[2]))  # type: ignore[union-attr]
    if x.dim() == 0:
        return "a tensor without dimensions"
    axis = int(node.args[1]) % x.dim()  # type: ignore[call-overload, arg-type]
    if any(x.shape[i] != index.shape[i] for i in range(x.dim()) if i != axis):
        return "indices for a part of the tensor only; cut it before"
    if "scatter_add" not in str(node.target):
        return None
    if not x.is_floating_point():
        return "integers that are added at indices, of which several may be one; use floating point"
    size = index.numel() * x.shape[axis]
    return f"sums at indices that take a matrix of {size} elements" if size > _MOST_SUMMED else None


@plain(
    "aten.scatter.src",
    "aten.scatter.value",
    dtypes=_PICKED,
    refusals=(_scatters,),
    constant_refusals=(_indices_are_int32,),
    conditions="indices for all of the tensor, none twice",
)
@plain(
    "aten.scatter_add.default",
    dtypes=(*NUMBERS, torch.int64),
    refusals=(_scatters,),
    constant_refusals=(_indices_are_int32,),
    conditions="indices for all of the tensor; floating-point numbers",
)
def scatter(low: Lowering, node: Node) -> None:
    x, given = low.tensor(node.args[0]), node.args[3]
    values = low.tensor(given) if isinstance(given, Node) else low.builder.scalar(given, x)
    low.set(node, scattered(low, node, x, values))


def scattered(low: Lowering, node: Node, x: Tensor, values: Tensor) -> Tensor:
    """``x`` with an element of its own at each index along one dimension."""
    b, rank = low.builder, len(x.shape)
    axis, index = int(node.args[1]) % rank, node.args[2]  # type: ignore[arg-type, call-overload]
    where = _numbers(low, index, x.shape[axis], rank, False)  # type: ignore[arg-type]
    for dim in range(rank):
        one = values.shape[dim] == 1
        values = values if one else part(b, values, dim, 0, where.shape[dim])
    values = b.tile(values, [a // c for a, c in zip(where.shape, values.shape, strict=True)])
    order = [*(one for one in range(rank) if one != axis), axis]
    table, numbers, rows = (b.transpose(one, order) for one in (x, where, values))
    count = math.prod(table.shape[:-1])
    flat = b.reshape(table, [count, table.shape[-1], 1])
    numbers = b.reshape(numbers, [count, numbers.shape[-1]])
    rows = b.reshape(rows, [count, rows.shape[-1], 1])
    if "scatter_add" in name_of(node):
        made = b.add(flat, product(low, _belonging(low, numbers, flat.shape[1], rows.dtype), rows))
    else:
        made = b.emit("SCATTER", [flat, numbers, rows], flat.shape, flat.dtype)
    return b.transpose(b.reshape(made, table.shape), [order.index(one) for one in range(rank)])
