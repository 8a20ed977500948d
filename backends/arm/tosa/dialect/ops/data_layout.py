"""Operators that move data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from executorch.backends.arm.tosa.dialect.lib import (
    ALL,
    TosaValueError,
    empty,
    known,
    operator,
    require_axis,
    require_dtype,
    require_length,
    require_positive,
    require_same_dtype,
    supported,
)
from executorch.backends.arm.tosa.dialect.ops.types import BYTES, HALVES, MOVED

Sizes = Sequence[Any]


def moved_types() -> set[torch.dtype]:
    """What movers of data take."""
    return supported(integers=BYTES, floats=HALVES, always=(torch.bool,), **MOVED)


@operator(
    "CONCAT(Tensor[] tensors, *, int axis) -> Tensor",
    ALL,
    lambda tensors, *, axis: torch.cat(list(tensors), axis),
)
def _(tensors: Sequence[torch.Tensor], *, axis: int) -> torch.Tensor:
    if not tensors:
        raise TosaValueError("nothing to put together", "CONCAT")
    first = tensors[0]
    require_same_dtype("CONCAT", *tensors)
    wide = supported(
        integers=(torch.int8, torch.int32), floats=HALVES, always=(torch.bool,), int16=torch.int16, **MOVED
    )
    require_dtype("CONCAT", first.dtype, wide)
    require_axis("CONCAT", axis, first.dim())
    for one in tensors[1:]:
        if one.dim() != first.dim() or any(
            i != axis and known(a) and known(c) and a != c
            for i, (a, c) in enumerate(zip(first.shape, one.shape, strict=False))
        ):
            raise TosaValueError(
                f"shapes {tuple(first.shape)} and {tuple(one.shape)} differ beside axis {axis}", "CONCAT"
            )
    total = sum(one.shape[axis] for one in tensors)
    return empty(first, [total if i == axis else size for i, size in enumerate(first.shape)])


def _padded(x: torch.Tensor, padding: Sizes, *, value: Any) -> torch.Tensor:
    made = x.new_full([size + padding[2 * i] + padding[2 * i + 1] for i, size in enumerate(x.shape)], value)
    inner = tuple(slice(padding[2 * i], padding[2 * i] + size) for i, size in enumerate(x.shape))
    made[inner] = x
    return made


@operator("PAD(Tensor input, SymInt[] padding, *, Scalar value) -> Tensor", ALL, _padded)
def _(x: torch.Tensor, padding: Sizes, *, value: Any) -> torch.Tensor:
    require_dtype("PAD", x.dtype, moved_types())
    if len(padding) != 2 * x.dim():
        raise TosaValueError(f"Padding length {len(padding)}; {x.dim()} dimensions take {2 * x.dim()}", "PAD")
    require_positive("PAD", "PAD widths", padding, 0)
    return empty(x, [size + padding[2 * i] + padding[2 * i + 1] for i, size in enumerate(x.shape)])


@operator(
    "RESHAPE(Tensor input, SymInt[] shape) -> Tensor", ALL, lambda x, shape: x.reshape(tuple(shape)).clone()
)
def _(x: torch.Tensor, shape: Sizes) -> torch.Tensor:
    require_dtype("RESHAPE", x.dtype, moved_types())
    sizes = list(shape)
    if any(known(one) and one < 0 for one in sizes):
        raise TosaValueError(f"Negative dimension in {sizes}; TOSA infers none", "RESHAPE")
    before, after = math.prod(x.shape), math.prod(sizes)
    if known(before) and known(after) and before != after:
        raise TosaValueError(f"{tuple(x.shape)} and {sizes} must have the same number of elements", "RESHAPE")
    return empty(x, sizes)


@operator("REVERSE(Tensor input, *, int axis) -> Tensor", ALL, lambda x, *, axis: x.flip(axis))
def _(x: torch.Tensor, *, axis: int) -> torch.Tensor:
    require_dtype("REVERSE", x.dtype, moved_types())
    require_axis("REVERSE", axis, x.dim())
    return empty(x)


def _sliced(x: torch.Tensor, start: Sizes, size: Sizes) -> torch.Tensor:
    return x[tuple(slice(a, a + c) for a, c in zip(start, size, strict=True))].clone()


@operator("SLICE(Tensor input, SymInt[] start, SymInt[] size) -> Tensor", ALL, _sliced)
def _(x: torch.Tensor, start: Sizes, size: Sizes) -> torch.Tensor:
    require_dtype("SLICE", x.dtype, moved_types())
    require_length("SLICE", "start", start, x.dim())
    require_length("SLICE", "size", size, x.dim())
    for whole, a, c in zip(x.shape, start, size, strict=True):
        if known(whole) and known(a) and known(c) and not (a >= 0 and c > 0 and a + c <= whole):
            raise TosaValueError(
                f"Expected start + size within the input and size above 0; from {list(start)} {list(size)} of "
                f"{tuple(x.shape)}",
                "SLICE",
            )
    return empty(x, size)


@operator(
    "TILE(Tensor input, SymInt[] multiples) -> Tensor", ALL, lambda x, multiples: x.repeat(list(multiples))
)
def _(x: torch.Tensor, multiples: Sizes) -> torch.Tensor:
    require_dtype("TILE", x.dtype, moved_types())
    require_length("TILE", "multiples", multiples, x.dim())
    require_positive("TILE", "TILE multiples", multiples)
    return empty(x, [size * times for size, times in zip(x.shape, multiples, strict=True)])


@operator(
    "TRANSPOSE(Tensor input, int[] perms) -> Tensor", ALL, lambda x, perms: x.permute(perms).contiguous()
)
def _(x: torch.Tensor, perms: Sequence[int]) -> torch.Tensor:
    require_dtype("TRANSPOSE", x.dtype, moved_types())
    if sorted(perms) != list(range(x.dim())):
        raise TosaValueError(f"Invalid permutation {list(perms)} of {x.dim()} dimensions", "TRANSPOSE")
    return empty(x, [x.shape[one] for one in perms])


@operator("IDENTITY(Tensor input) -> Tensor", ALL, torch.clone)
def _(x: torch.Tensor) -> torch.Tensor:
    require_dtype("IDENTITY", x.dtype, moved_types())
    return empty(x)


def _indices(op: str, values: torch.Tensor, indices: torch.Tensor) -> None:
    # Indices of int64 are what graphs have before types are narrowed.
    require_dtype(op, indices.dtype, supported(always=(torch.int32,), int64=torch.int64))
    if values.dim() != 3 or indices.dim() != 2:
        raise TosaValueError(
            f"values of {values.dim()} and indices of {indices.dim()} dimensions; they have 3 and 2", op
        )
    a, c = values.shape[0], indices.shape[0]
    if known(a) and known(c) and a != c:
        raise TosaValueError(f"{a} batches of values and {c} of indices", op)


def _gathered(values: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return torch.stack([one[rows.long()] for one, rows in zip(values, indices, strict=True)])


@operator("GATHER(Tensor values, Tensor indices) -> Tensor", ALL, _gathered)
def _(values: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    types = supported(integers=BYTES, floats=HALVES, **MOVED)
    require_dtype("GATHER", values.dtype, types)
    _indices("GATHER", values, indices)
    return empty(values, [values.shape[0], indices.shape[1], values.shape[2]])


def _scattered(values_in: torch.Tensor, indices: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    made = values_in.clone()
    for batch, rows in enumerate(indices):
        made[batch, rows.long()] = x[batch]
    return made


@operator("SCATTER(Tensor values_in, Tensor indices, Tensor input) -> Tensor", ALL, _scattered)
def _(values_in: torch.Tensor, indices: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    require_same_dtype("SCATTER", values_in, x)
    require_dtype("SCATTER", x.dtype, supported(integers=BYTES, floats=HALVES, **MOVED))
    _indices("SCATTER", values_in, indices)
    if tuple(x.shape) != (indices.shape[0], indices.shape[1], values_in.shape[2]):
        raise TosaValueError(f"input of {tuple(x.shape)} for indices of {tuple(indices.shape)}", "SCATTER")
    return empty(values_in)
