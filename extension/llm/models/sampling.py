"""The choice of a token in the program itself, for decoders whose logits would be large to hand over."""

from __future__ import annotations

import torch

#: Between 0 and the smallest temperature, and the smallest number that a logarithm is taken of.
_COLDEST, _LEAST = 1e-6, 1e-20


def sample(logits: torch.Tensor, temperature: torch.Tensor | None = None) -> torch.Tensor:
    """Draws a token by adding noise of Gumbel's distribution, whose largest sum is distributed as the softmax.

    Args:
        logits: ``[batch, vocabulary]``.
        temperature: ``[1]``, an input of the program: divides the logits; near 0 the most probable token comes.

    Returns:
        ``[batch, 1]``, the token as a float32, exact up to 2**24; without a temperature the logits themselves.
    """
    if temperature is None:
        return logits
    scaled = logits / temperature.clamp(min=_COLDEST)
    noise = -torch.log(-torch.log(torch.rand_like(scaled) + _LEAST) + _LEAST)
    return (scaled + noise).argmax(dim=-1, keepdim=True).float()
