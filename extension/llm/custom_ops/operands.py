"""What the operators take: checks that work for real tensors and for those of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

#: Element types of attention.
ATTENTION_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class OperandError(ValueError, AssertionError, RuntimeError):
    """Operands that do not fit.

    Released versions raise ``AssertionError`` where shapes are inferred and ``RuntimeError`` where results are computed, so
    it is one of these too.
    """


def need(condition: bool, message: str) -> None:
    """Raises :class:`OperandError` unless the condition holds."""
    if not condition:
        raise OperandError(message)


def need_rank(name: str, tensor: torch.Tensor, rank: int) -> None:
    """Refuses tensors of another number of dimensions."""
    need(tensor.dim() == rank, f"Expected {name} to be {rank} dimensional but got {tensor.dim()} dimensions.")


def need_dtype(name: str, tensor: torch.Tensor, dtypes: Sequence[torch.dtype]) -> None:
    """Refuses tensors of other element types."""
    wanted = ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
    need(tensor.dtype in dtypes, f"Expected {name} to be {wanted} but got {tensor.dtype}")


def need_same_sizes(
    name: str, tensor: torch.Tensor, other_name: str, other: torch.Tensor, dims: Sequence[int]
) -> None:
    """Refuses tensors that differ in one of the dimensions."""
    for dim in dims:
        need(
            bool(tensor.shape[dim] == other.shape[dim]),
            f"Expected {name} and {other_name} to have same size in dimension {dim} but got {tensor.shape[dim]} and "
            f"{other.shape[dim]}",
        )


def need_apart(outputs: Mapping[str, torch.Tensor], inputs: Mapping[str, Any]) -> None:
    """Refuses outputs in memory that is read: a kernel may write before it has read everything."""
    for out_name, output in outputs.items():
        first, last = _span(output)
        for name, value in inputs.items():
            begin, end = _span(value) if isinstance(value, torch.Tensor) else (0, 0)
            need(last <= begin or end <= first, f"{out_name} must not alias {name}: their memory overlaps")


def _span(tensor: torch.Tensor) -> tuple[int, int]:
    if tensor.numel() == 0:
        return 0, 0
    reach = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + reach * tensor.element_size()


def need_room(start_pos: int, length: int, capacity: int) -> None:
    """Refuses positions outside of a cache; during an export, the exported program relies on it."""
    torch._check(start_pos >= 0, lambda: f"start_pos must not be negative, it is {start_pos}")
    torch._check(
        start_pos + length <= capacity,
        lambda: (
            f"start_pos {start_pos} and sequence length {length} exceed the cache, which has {capacity} positions"
        ),
    )


def check_cache(value: torch.Tensor, cache: torch.Tensor, start_pos: int) -> None:
    """What is written to a cache: ``[batch, positions, heads, head_dim]`` both."""
    need_rank("value", value, 4)
    need_rank("cache", cache, 4)
    need(
        value.dtype == cache.dtype,
        f"Expected value and cache to be of the same type but got value type {value.dtype} and cache type {cache.dtype}",
    )
    need_same_sizes("value", value, "cache", cache, (0, 2, 3))
    del start_pos


def check_indices(value: torch.Tensor, indices: torch.Tensor) -> None:
    """Positions for each step of each row: int64, ``[batch, positions]``."""
    need_rank("indices", indices, 2)
    need(indices.dtype == torch.int64, f"Expected indices to be int64 but got {indices.dtype}")
    for dim, what in ((0, "batch"), (1, "sequence length")):
        need(
            bool(indices.shape[dim] == value.shape[dim]),
            f"Expected indices {what} dimension to match value {what} dimension but got {indices.shape[dim]} and "
            f"{value.shape[dim]}",
        )


def check_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None,
    seq_dim: int = 1,
) -> None:
    """Query, key and value have four dimensions; heads of the query are a multiple of those of key and value."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        need_rank(name, tensor, 4)
    heads = 3 - seq_dim
    need_same_sizes("query", query, "key", key, (0, 3))
    need_same_sizes("key", key, "value", value, (0, 1, 2))
    need(
        bool(query.shape[heads] % key.shape[heads] == 0),
        f"{query.shape[heads]} heads of the query cannot share {key.shape[heads]} heads of the key",
    )
    if attn_mask is not None:
        need_rank("attn_mask", attn_mask, 2)
        need(attn_mask.dtype in ATTENTION_DTYPES, f"Expected attn_mask to be float but got {attn_mask.dtype}")


def check_one_dtype(query: torch.Tensor, **others: torch.Tensor) -> None:
    """Attention computes in one element type."""
    need_dtype("query", query, ATTENTION_DTYPES)
    for name, tensor in others.items():
        need(
            tensor.dtype == query.dtype,
            f"Expected {name} to have the same dtype as query but got {tensor.dtype}",
        )


__all__ = [
    "ATTENTION_DTYPES",
    "OperandError",
    "check_attention",
    "check_cache",
    "check_indices",
    "check_one_dtype",
    "need",
    "need_apart",
    "need_dtype",
    "need_rank",
    "need_room",
    "need_same_sizes",
]
