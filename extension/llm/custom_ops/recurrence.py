"""The gated delta rule: linear attention whose state forgets and corrects itself."""

from __future__ import annotations

import torch

from executorch.extension.llm.custom_ops.operands import need, need_dtype, need_rank, need_same_sizes


def check_recurrence(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor,
    initial_state: torch.Tensor,
) -> None:
    """The operands as :func:`delta_rule` takes them."""
    for name, tensor, rank in (
        ("query", query, 4),
        ("key", key, 4),
        ("value", value, 4),
        ("beta", beta, 3),
        ("initial_state", initial_state, 4),
    ):
        need_rank(name, tensor, rank)
        need_dtype(name, tensor, (torch.float32,))
    need_dtype("decay", decay, (torch.float32,))
    need(decay.dim() in (3, 4), f"Expected decay to be 3 or 4 dimensional but got {decay.dim()} dimensions.")
    need_same_sizes("query", query, "key", key, (0, 2, 3))
    for name, tensor in (("value", value), ("decay", decay), ("beta", beta)):
        need_same_sizes(name, tensor, "key", key, (0, 1, 2))
    if decay.dim() == 4:
        need_same_sizes("decay", decay, "key", key, (3,))
    need(
        bool(query.shape[1] % key.shape[1] == 0),
        f"{query.shape[1]} heads of the query cannot share {key.shape[1]} heads of the key",
    )
    shape = (key.shape[0], key.shape[1], key.shape[3], value.shape[3])
    need(
        tuple(initial_state.shape) == shape,
        f"Expected initial_state to have shape {shape} but got {initial_state.shape}",
    )


def delta_rule(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor,
    initial_state: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Runs the rule over all positions: ``S = decay * S``, ``S += key (beta * (value - S^T key))^T``, ``S^T query``.

    Args:
        query: ``[batch, heads, positions, key_dim]``, float32 like all others.
        key: ``[batch, key_heads, positions, key_dim]``.
        value: ``[batch, key_heads, positions, value_dim]``.
        decay: What is kept of the state: ``[batch, key_heads, positions]``, or one for each channel of the key
            (``[..., key_dim]``).
        beta: How much of the difference is written: ``[batch, key_heads, positions]``.
        initial_state: ``[batch, key_heads, key_dim, value_dim]``.

    Returns:
        The results (``[batch, heads, positions, value_dim]``) and the last state.
    """
    check_recurrence(query, key, value, decay, beta, initial_state)
    kept = decay[..., None] if decay.dim() == 3 else decay
    shared = query.shape[1] // key.shape[1]
    state = initial_state.clone()
    results = []
    for step in range(key.shape[2]):
        known = key[:, :, step, :, None]
        state = state * kept[:, :, step, :, None]
        correction = (value[:, :, step] - (state * known).sum(-2)) * beta[:, :, step, None]
        state = state + known * correction[:, :, None]
        per_query = state.repeat_interleave(shared, 1)
        results.append((per_query * query[:, :, step, :, None]).sum(-2))
    if not results:
        return value.new_empty((*query.shape[:3], value.shape[3])), state
    return torch.stack(results, 2), state


__all__ = ["check_recurrence", "delta_rule"]
