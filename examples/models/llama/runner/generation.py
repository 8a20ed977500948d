"""The next token by the logits of one, for programs that step a decoder themselves."""

from __future__ import annotations

import torch


def sample_top_p(probs: torch.Tensor, p: float) -> torch.Tensor:
    """Draws from the most probable tokens that together have more than a share of the probability.

    Args:
        probs: ``[..., vocabulary]``, each line with the sum 1.
        p: The share; 0 leaves the most probable token alone, 1 leaves all.

    Returns:
        ``[..., 1]``, int64.
    """
    ordered, tokens = torch.sort(probs, dim=-1, descending=True)
    # A token stays while those before it have not reached the share: the first always does.
    before = ordered.cumsum(dim=-1) - ordered
    kept = ordered.masked_fill(before > p, 0.0)
    drawn = torch.multinomial(kept.reshape(-1, kept.shape[-1]), num_samples=1)
    return tokens.gather(-1, drawn.reshape(*kept.shape[:-1], 1))


def next_token(logits: torch.Tensor, temperature: float, top_p: float) -> int:
    """The token that follows.

    Args:
        logits: ``[1, vocabulary]`` or ``[vocabulary]``.
        temperature: Divides the logits; 0 takes the most probable token.
        top_p: As for :func:`sample_top_p`.

    Raises:
        ValueError: The logits are not those of one token.
    """
    if logits.numel() != logits.shape[-1]:
        raise ValueError(
            f"logits of one token are [1, vocabulary], not {list(logits.shape)}: give logits[:, -1]"
        )
    line = logits.reshape(-1)
    if not temperature > 0:
        return int(line.argmax())
    return int(sample_top_p(torch.softmax(line / temperature, dim=-1), top_p))
