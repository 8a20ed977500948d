"""Attention over caches of keys and values, in eager mode."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.nn import functional

from executorch.extension.llm.custom_ops.operands import (
    check_attention,
    check_cache,
    check_indices,
    check_one_dtype,
    need,
    need_room,
)


def _attend(
    operands: Iterable[torch.Tensor],
    start_pos: int,
    attn_mask: torch.Tensor | None,
    is_causal: bool,
    scale: float | None,
) -> torch.Tensor:
    """Attention of a query, a key and a value of ``[batch, heads, positions, head_dim]``.

    Without a mask, the first ``start_pos + positions`` keys take part; with one, as many as it has columns.
    """
    query, key, value = operands
    steps = query.shape[2]
    if attn_mask is not None:
        need(not is_causal, "attn_mask and is_causal cannot be set at the same time")
        need(
            attn_mask.shape[0] == steps and attn_mask.shape[1] == key.shape[2],
            f"Expected attn_mask to have a row for each of {steps} queries and a column for each of {key.shape[2]} "
            f"keys, but its shape is {tuple(attn_mask.shape)}",
        )
        bias = attn_mask.to(query.dtype)
    else:
        need_room(start_pos, steps, key.shape[2])
        key, value = key[:, :, : start_pos + steps], value[:, :, : start_pos + steps]
        bias = None
        if is_causal:
            seen = torch.ones(steps, start_pos + steps, dtype=torch.bool, device=query.device).tril(start_pos)
            bias = torch.zeros_like(seen, dtype=query.dtype).masked_fill(~seen, float("-inf"))
    shared = query.shape[1] // key.shape[1]
    key, value = key.repeat_interleave(shared, 1), value.repeat_interleave(shared, 1)
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, scale=scale)


def custom_sdpa(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    start_pos: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention of queries at ``start_pos`` and behind over a whole cache.

    Args:
        query: ``[batch, positions, heads, head_dim]``.
        key: ``[batch, capacity, key_heads, head_dim]``; only what is in front of the last query takes part, unless there
            is a mask.
        value: As the key.
        start_pos: Position of the first query.
        attn_mask: ``[positions, capacity]``, added to the scores.
        drpout_p: Has no effect: programs infer.
        is_causal: Whether a query sees no key behind its own position.
        scale: Of the scores; one over the root of ``head_dim`` by default.

    Raises:
        OperandError: Shapes or dtypes do not fit.
        RuntimeError: The cache is too short.
    """
    del drpout_p
    check_attention(query, key, value, attn_mask)
    check_one_dtype(query, key=key, value=value)
    heads_first = (tensor.transpose(1, 2) for tensor in (query, key, value))
    return _attend(heads_first, start_pos, attn_mask, is_causal, scale).transpose(1, 2).contiguous()


def _dequantized(
    values: torch.Tensor, zero_points: torch.Tensor | None, scales: torch.Tensor | None, name: str
) -> torch.Tensor:
    if zero_points is None or scales is None:
        need(values.is_floating_point(), f"{name} is {values.dtype} and needs zero points and scales")
        return values.float()
    return (values.float() - zero_points.float()) * scales.float()


def custom_quantized_sdpa(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    start_pos: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    q_zero_points: torch.Tensor | None = None,
    q_scales: torch.Tensor | None = None,
    k_zero_points: torch.Tensor | None = None,
    k_scales: torch.Tensor | None = None,
    v_zero_points: torch.Tensor | None = None,
    v_scales: torch.Tensor | None = None,
    is_seq_at_dim_2: bool = False,
) -> torch.Tensor:
    """As :func:`custom_sdpa` for int8 values with zero points and scales of shape ``[..., 1]``.

    ``is_seq_at_dim_2``: heads come before positions, in all operands and in the result, which is float32.
    """
    del drpout_p
    check_attention(query, key, value, attn_mask, 2 if is_seq_at_dim_2 else 1)
    operands = [
        _dequantized(query, q_zero_points, q_scales, "query"),
        _dequantized(key, k_zero_points, k_scales, "key"),
        _dequantized(value, v_zero_points, v_scales, "value"),
    ]
    if is_seq_at_dim_2:
        return _attend(operands, start_pos, attn_mask, is_causal, scale).contiguous()
    operands = [tensor.transpose(1, 2) for tensor in operands]
    return _attend(operands, start_pos, attn_mask, is_causal, scale).transpose(1, 2).contiguous()


def sdpa_with_kv_cache(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    start_pos: int,
    seq_len: int,
    attn_mask: torch.Tensor | None = None,
    drpout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """Writes keys and values to their caches at ``start_pos``, then as :func:`custom_sdpa` with these."""
    del seq_len
    check_attention(query, key_cache, value_cache, attn_mask)
    check_one_dtype(query, key=key, value=value, key_cache=key_cache, value_cache=value_cache)
    update_cache(key, key_cache, start_pos)
    update_cache(value, value_cache, start_pos)
    return custom_sdpa(query, key_cache, value_cache, start_pos, attn_mask, drpout_p, is_causal, scale)


def update_cache(value: torch.Tensor, cache: torch.Tensor, start_pos: int) -> torch.Tensor:
    """Writes ``value`` to ``cache`` from position ``start_pos`` on; both are ``[batch, positions, heads, head_dim]``.

    Returns:
        A value without meaning, of shape ``[1]``.
    """
    check_cache(value, cache, start_pos)
    need_room(start_pos, value.shape[1], cache.shape[1])
    cache[:, start_pos : start_pos + value.shape[1]] = value
    return value.new_zeros(1)


def update_cache_with_indices(
    value: torch.Tensor, cache: torch.Tensor, start_pos: int, indices: torch.Tensor
) -> torch.Tensor:
    """As :func:`update_cache`, to the positions ``indices`` (``[batch, positions]``) instead of those from ``start_pos`` on."""
    check_cache(value, cache, start_pos)
    check_indices(value, indices)
    need(
        indices.numel() == 0 or bool(((indices >= 0) & (indices < cache.shape[1])).all()),
        f"indices must lie in the cache, which has {cache.shape[1]} positions",
    )
    rows = torch.arange(value.shape[0], device=indices.device)[:, None]
    cache[rows, indices] = value
    return value.new_zeros(1)


__all__ = [
    "custom_quantized_sdpa",
    "custom_sdpa",
    "sdpa_with_kv_cache",
    "update_cache",
    "update_cache_with_indices",
]
