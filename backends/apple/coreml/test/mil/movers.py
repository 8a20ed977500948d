"""Operators that move elements, choose them, or make them of nothing."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional as F

from executorch.backends.apple.coreml.test.mil.elementwise import Operator


def _ints(value: Any) -> list[int]:
    if isinstance(value, torch.Tensor):
        return [int(one) for one in value.reshape(-1)]
    return [int(one) for one in value]


def _flags(value: Any, rank: int) -> list[bool]:
    return [False] * rank if value is None else [bool(one) for one in value]


def slices(
    shape: torch.Size,
    begin: Any,
    end: Any,
    stride: Any = None,
    begin_mask: Any = None,
    end_mask: Any = None,
    squeeze_mask: Any = None,
) -> tuple[list[torch.Tensor | None], list[int]]:
    """The indices of each dimension (None: all of them), and dimensions that disappear."""
    rank = len(shape)
    steps = [1] * rank if stride is None else _ints(stride)
    from_start, to_end = _flags(begin_mask, rank), _flags(end_mask, rank)
    squeezed = [index for index, flag in enumerate(_flags(squeeze_mask, rank)) if flag]
    rows: list[torch.Tensor | None] = []
    for i, (first, last, step) in enumerate(zip(_ints(begin), _ints(end), steps, strict=True)):
        size = shape[i]
        if i in squeezed:
            rows.append(torch.tensor([first % size]))
            continue
        start: int | None = None if from_start[i] else first
        stop: int | None = None if to_end[i] else last
        every = range(size)[start:stop:step]
        rows.append(None if every == range(size) else torch.tensor(list(every), dtype=torch.int64))
    return rows, squeezed


def _slice_by_index(x: torch.Tensor, **options: Any) -> torch.Tensor:
    rows, squeezed = slices(x.shape, **options)
    for dim, chosen in enumerate(rows):
        x = x if chosen is None else x.index_select(dim, chosen)
    return x.reshape([size for dim, size in enumerate(x.shape) if dim not in squeezed])


def _slice_update(x: torch.Tensor, update: torch.Tensor, **options: Any) -> torch.Tensor:
    rows, squeezed = slices(x.shape, **options)
    every = [torch.arange(size) if one is None else one for one, size in zip(rows, x.shape, strict=True)]
    for dim in squeezed:
        update = update.unsqueeze(dim)
    made = x.clone()
    made[torch.meshgrid(*every, indexing="ij")] = update.expand([len(one) for one in every])
    return made


def _slice_by_size(x: torch.Tensor, begin: Any, size: Any) -> torch.Tensor:
    for dim, (first, count) in enumerate(zip(_ints(begin), _ints(size), strict=True)):
        x = x.narrow(dim, first % x.shape[dim], x.shape[dim] - first if count == -1 else count)
    return x


def _reshape(x: torch.Tensor, shape: Any) -> torch.Tensor:
    sizes = _ints(shape)
    return x.reshape([x.shape[i] if size == 0 and x.numel() else size for i, size in enumerate(sizes)])


def _squeeze(x: torch.Tensor, axes: Any = None) -> torch.Tensor:
    return x.squeeze() if axes is None else x.squeeze(tuple(_ints(axes)))


def _expand_dims(x: torch.Tensor, axes: Any) -> torch.Tensor:
    rank = x.dim() + len(_ints(axes))
    for axis in sorted(one % rank for one in _ints(axes)):
        x = x.unsqueeze(axis)
    return x


def _split(x: torch.Tensor, axis: Any, num_splits: Any = None, split_sizes: Any = None) -> Any:
    dim = int(axis)
    if split_sizes is not None:
        return x.split(_ints(split_sizes), dim)
    return x.split(x.shape[dim] // int(num_splits), dim)


def _pad(x: torch.Tensor, pad: Any, mode: str = "constant", constant_val: Any = 0.0) -> torch.Tensor:
    sizes = _ints(pad)
    pairs = [sizes[i : i + 2] for i in range(0, len(sizes), 2)]
    while mode != "constant" and len(pairs) > 1 and pairs[0] == [0, 0]:
        pairs = pairs[1:]
    flat = [one for pair in reversed(pairs) for one in pair]
    if mode == "constant":
        return F.pad(x, flat, value=float(constant_val))
    missing = len(pairs) + 1 - x.dim()
    made = F.pad(x.reshape([1] * max(missing, 0) + list(x.shape)), flat, mode=mode)
    return made.reshape(made.shape[max(missing, 0) :])


def _gather(
    x: torch.Tensor, indices: torch.Tensor, axis: Any = 0, batch_dims: Any = 0, validate_indices: Any = False
) -> torch.Tensor:
    assert int(batch_dims) == 0
    dim = int(axis) % x.dim()
    chosen = indices.long() % x.shape[dim]
    made = x.index_select(dim, chosen.reshape(-1))
    return made.reshape([*x.shape[:dim], *indices.shape, *x.shape[dim + 1 :]])


def _gather_nd(
    x: torch.Tensor, indices: torch.Tensor, batch_dims: Any = 0, validate_indices: Any = False
) -> torch.Tensor:
    assert int(batch_dims) == 0
    return x[tuple(indices.long().unbind(-1))]


def _changed(made: torch.Tensor, place: Any, updates: torch.Tensor, mode: str) -> torch.Tensor:
    if mode in ("update", "add"):
        return made.index_put(place, updates.to(made.dtype), accumulate=mode == "add")
    raise NotImplementedError(f"scatter with mode {mode}")


def _scatter(
    data: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    axis: Any = 0,
    mode: str = "add",
    validate_indices: Any = False,
) -> torch.Tensor:
    dim = int(axis) % data.dim()
    place = (*[slice(None)] * dim, indices.long())
    grid: list[Any] = [torch.arange(size) for size in data.shape]
    grid[dim] = indices.long()
    assert indices.dim() == 1, place
    return _changed(data, torch.meshgrid(*grid, indexing="ij"), updates, mode)


def _scatter_nd(
    data: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    mode: str = "add",
    validate_indices: Any = False,
) -> torch.Tensor:
    return _changed(data, tuple(indices.long().unbind(-1)), updates, mode)


def _along(
    data: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    axis: Any = 0,
    mode: str = "add",
    validate_indices: Any = False,
) -> torch.Tensor:
    if mode == "add":
        return data.scatter_add(int(axis), indices.long(), updates)
    assert mode == "update"
    return data.scatter(int(axis), indices.long(), updates)


def _band_part(x: torch.Tensor, lower: Any = -1, upper: Any = -1) -> torch.Tensor:
    x = x if int(lower) < 0 else x.triu(-int(lower))
    return x if int(upper) < 0 else x.tril(int(upper))


def _topk(
    x: torch.Tensor,
    k: Any,
    axis: Any = -1,
    ascending: Any = False,
    sort: Any = True,
    return_indices: Any = True,
    output_indices_dtype: str = "int32",
) -> Any:
    made = x.topk(int(k), int(axis), largest=not bool(ascending), sorted=True)
    return tuple(made) if bool(return_indices) else made.values


def _one_hot(
    indices: torch.Tensor, one_hot_vector_size: Any, axis: Any = -1, on_value: Any = 1, off_value: Any = 0
) -> torch.Tensor:
    made = F.one_hot(indices.long(), int(one_hot_vector_size)).movedim(-1, int(axis))
    return torch.where(made.bool(), torch.as_tensor(on_value), torch.as_tensor(off_value))


def _concat(values: list[torch.Tensor], axis: Any, interleave: Any = False) -> torch.Tensor:
    # Numbers become a line.
    parts = [
        one.reshape(1) if one.dim() == 0 else one
        for one in (values if isinstance(values, list) else [values])
    ]
    if not bool(interleave):
        return torch.cat(parts, int(axis))
    dim = int(axis) % parts[0].dim()
    return torch.stack(parts, dim + 1).flatten(dim, dim + 1)


def _range(start: Any, end: Any, step: Any) -> torch.Tensor:
    return torch.arange(start.item(), end.item(), step.item(), dtype=start.dtype)


def _sliding_windows(x: torch.Tensor, axis: Any, size: Any, stride: Any = 1) -> torch.Tensor:
    dim = int(axis) % x.dim()
    return x.unfold(dim, int(size), int(stride)).movedim(-1, dim + 1)


OPERATORS: dict[str, Operator] = {
    "argsort": lambda x, axis=-1, ascending=False, output_dtype="int32": x.argsort(
        dim=int(axis), descending=not bool(ascending), stable=True
    ),
    "band_part": _band_part,
    "concat": _concat,
    "expand_dims": _expand_dims,
    "fill": lambda shape, value=0.0: torch.full(_ints(shape), value.item(), dtype=value.dtype),
    "fill_like": lambda ref_tensor, value: torch.full(
        list(ref_tensor.shape), value.item(), dtype=value.dtype
    ),
    "gather": _gather,
    "gather_along_axis": lambda x, indices, axis=0, validate_indices=False: x.gather(
        int(axis), indices.long() % x.shape[int(axis)]
    ),
    "gather_nd": _gather_nd,
    "non_zero": lambda x: x.nonzero(),
    "one_hot": _one_hot,
    "pad": _pad,
    "pixel_shuffle": lambda x, upscale_factor: F.pixel_shuffle(x, int(upscale_factor)),
    "pixel_unshuffle": lambda x, downscale_factor: F.pixel_unshuffle(x, int(downscale_factor)),
    "random_normal": lambda shape, mean, stddev, seed: torch.normal(float(mean), float(stddev), _ints(shape)),
    "range_1d": _range,
    "reshape": _reshape,
    "reverse": lambda x, axes=None: x.flip(list(range(x.dim())) if axes is None else _ints(axes)),
    "scatter": _scatter,
    "scatter_along_axis": _along,
    "scatter_nd": _scatter_nd,
    "shape": lambda x: torch.tensor(list(x.shape), dtype=torch.int32),
    "slice_by_index": _slice_by_index,
    "slice_by_size": _slice_by_size,
    "slice_update": _slice_update,
    "sliding_windows": _sliding_windows,
    "split": _split,
    "squeeze": _squeeze,
    "stack": lambda values, axis: torch.stack(values if isinstance(values, list) else [values], int(axis)),
    "tile": lambda x, reps: x.repeat(_ints(reps)),
    "topk": _topk,
    "transpose": lambda x, perm: x.permute(_ints(perm)),
}
