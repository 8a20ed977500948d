"""States of one size that layers carry from call to call, however long the text is."""

from __future__ import annotations

import torch


def carried(state: torch.Tensor, batch: int, input_pos: torch.Tensor | None) -> torch.Tensor:
    """What a call goes on from: the state that the last one left; zeros at position 0, and without positions.

    Args:
        state: a buffer, ``[rows, ...]``.
        batch: rows of the call.
        input_pos: position of the first token, int64; None: nothing is carried.
    """
    state = state[:batch]
    if input_pos is None:
        return torch.zeros_like(state)
    return torch.where(input_pos.flatten()[:1] > 0, state, 0.0)
