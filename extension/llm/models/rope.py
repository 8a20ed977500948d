"""Rotary position embeddings (https://arxiv.org/abs/2104.09864), of pairs as Meta's checkpoints have them, or of halves."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.refusal import RefusalError

# Of Llama 3.1: the length it was first trained for, and the share of it from which on a wave is slow.
_TRAINED_LENGTH, _SLOW = 8192, 1


def apply_scaling(frequencies: torch.Tensor, scale_factor: int, high_freq_factor: int) -> torch.Tensor:
    """Llama 3.1's stretching: slow waves by ``scale_factor``, fast ones not, and a slide between."""
    lengths = 2 * math.pi / frequencies
    share = (_TRAINED_LENGTH / lengths - _SLOW) / (high_freq_factor - _SLOW)
    share = share.clamp(0, 1)
    return frequencies * ((1 - share) / scale_factor + share)


def rope_tables(
    dim: int,
    length: int,
    base: float,
    scale_factor: int | None = None,
    high_freq_factor: int = 4,
    device: str | torch.device = "cpu",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of all positions, ``[length, dim / 2]`` each; ``scale_factor`` as of :func:`apply_scaling`."""
    exponents = torch.arange(0, dim, 2, device=device, dtype=torch.float32)[: dim // 2] / dim
    frequencies = 1.0 / base**exponents
    if scale_factor is not None:
        frequencies = apply_scaling(frequencies, scale_factor, high_freq_factor)
    angles = torch.outer(torch.arange(length, device=device, dtype=torch.float32), frequencies)
    return angles.cos(), angles.sin()


def precompute_freqs_cis(
    dim: int,
    end: int,
    theta: float = 10000.0,
    use_scaled: bool = False,
    scale_factor: int | None = None,
    high_freq_factor: int = 4,
    device: str | torch.device = "cpu",
) -> tuple[torch.Tensor, torch.Tensor]:
    """:func:`rope_tables` by Meta's names."""
    return rope_tables(dim, end, theta, (scale_factor or 8) if use_scaled else None, high_freq_factor, device)


def hf_precompute_freqs_cis(
    dim: int,
    end: int,
    theta: float,
    partial_rotary_factor: float = 1.0,
    device: str | torch.device = "cpu",
    scale_factor: int | None = None,
    high_freq_factor: int = 4,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of all positions as Hugging Face's models have them: ``[end, dim * partial_rotary_factor]``, each twice."""
    cos, sin = rope_tables(
        int(dim * partial_rotary_factor), end, theta, scale_factor, high_freq_factor, device
    )
    return torch.cat((cos, cos), dim=-1), torch.cat((sin, sin), dim=-1)


def apply_rotary_emb_to_k(x: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor) -> torch.Tensor:
    """Turns neighbouring pairs: ``x`` of ``[batch, tokens, heads, head_dim]``, tables of ``[tokens, head_dim / 2]``, or less for a
    leading part of a head."""
    part = 2 * freqs_cos.shape[-1]
    if part < x.shape[-1]:
        turned = apply_rotary_emb_to_k(x[..., :part], freqs_cos, freqs_sin)
        return torch.cat((turned, x[..., part:]), dim=-1)
    even, odd = x.float().reshape(*x.shape[:-1], -1, 2).unbind(-1)
    cos, sin = freqs_cos.unsqueeze(1), freqs_sin.unsqueeze(1)
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(3).type_as(x)


def apply_rotary_emb(
    xq: torch.Tensor, xk: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """:func:`apply_rotary_emb_to_k` of queries and keys."""
    return apply_rotary_emb_to_k(xq, freqs_cos, freqs_sin), apply_rotary_emb_to_k(xk, freqs_cos, freqs_sin)


class RotaryEmbedding(nn.Module):
    """:func:`apply_rotary_emb` as a module, so that a graph's nodes say where they are from."""

    def forward(
        self, xq: torch.Tensor, xk: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Turned queries and keys."""
        return apply_rotary_emb(xq, xk, freqs_cos, freqs_sin)


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    """The second half, negative, before the first."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def hf_apply_rotary_emb_to_k(
    x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, unsqueeze_dim: int = 1
) -> torch.Tensor:
    """Turns halves of the leading part that the tables cover; ``unsqueeze_dim``: the tables' dimension of heads."""
    cos, sin = cos.unsqueeze(unsqueeze_dim), sin.unsqueeze(unsqueeze_dim)
    part = cos.shape[-1]
    turned, rest = x[..., :part], x[..., part:]
    turned = turned * cos + rotate_half(turned) * sin
    return torch.cat((turned, rest), dim=-1) if rest.shape[-1] else turned


def hf_apply_rotary_emb(
    q: torch.Tensor,
    k: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    position_ids: torch.Tensor | None = None,
    unsqueeze_dim: int = 1,
) -> tuple[torch.Tensor, torch.Tensor]:
    """:func:`hf_apply_rotary_emb_to_k` of queries and keys; positions are the tables' business."""
    del position_ids
    return (
        hf_apply_rotary_emb_to_k(q, cos, sin, unsqueeze_dim),
        hf_apply_rotary_emb_to_k(k, cos, sin, unsqueeze_dim),
    )


def _stretched(params: ModelArgs, base: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Tables whose frequencies are divided by factors of their own."""
    factors = torch.tensor(params.rope_frequency_factors, dtype=torch.float32)
    size = int(int(params.head_dim or 0) * params.partial_rotary_factor)
    if factors.numel() not in (1, size // 2):
        raise RefusalError(
            f"rope_frequency_factors has {factors.numel()} entries for {size // 2} frequencies"
        )
    frequencies = 1.0 / (factors * base ** (torch.arange(0, size, 2, dtype=torch.float32) / size))
    angles = torch.outer(torch.arange(params.max_context_len, dtype=torch.float32), frequencies)
    if params.use_hf_rope:
        angles = angles.repeat(1, 2)
    return angles.cos() * params.rope_attention_factor, angles.sin() * params.rope_attention_factor


class Rope(nn.Module):
    """The tables of a model, and how they turn its queries and keys."""

    freqs_cos: torch.Tensor
    freqs_sin: torch.Tensor

    def __init__(self, params: ModelArgs) -> None:
        super().__init__()
        self.params = params
        dim, length = int(params.head_dim or 0), params.max_context_len
        if params.use_hf_rope:
            tables = hf_precompute_freqs_cis(
                dim,
                length,
                params.rope_base,
                params.partial_rotary_factor,
                params.device,
                params.rope_scale_factor if params.use_scaled_rope else None,
                params.high_freq_factor,
            )
        else:
            self.apply_rotary_emb = RotaryEmbedding()
            tables = precompute_freqs_cis(
                int(dim * params.partial_rotary_factor),
                length,
                params.rope_base,
                params.use_scaled_rope,
                params.rope_scale_factor,
                params.high_freq_factor,
                params.device,
            )
        if params.rope_frequency_factors is not None:
            tables = _stretched(params, params.rope_base)
        self.register_buffer("freqs_cos", tables[0], persistent=False)
        self.register_buffer("freqs_sin", tables[1], persistent=False)
        if params.local_rope_theta is not None:
            local = hf_precompute_freqs_cis(
                dim, length, params.local_rope_theta, params.partial_rotary_factor, params.device
            )
            self.register_buffer("local_freqs_cos", local[0], persistent=False)
            self.register_buffer("local_freqs_sin", local[1], persistent=False)

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, freqs_cos: torch.Tensor, freqs_sin: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Turned queries and keys, ``[batch, tokens, heads, head_dim]``."""
        if self.params.use_hf_rope:
            return hf_apply_rotary_emb(q, k, freqs_cos, freqs_sin)
        turned: tuple[torch.Tensor, torch.Tensor] = self.apply_rotary_emb(q, k, freqs_cos, freqs_sin)
        return turned

    def get_freqs(self, input_pos: torch.Tensor | None, seq_len: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows of the tables for ``seq_len`` tokens.

        Args:
            input_pos: positions, int64: of the first token alone if shapes are dynamic, else of each; None: from 0 on.
        """
        return self._rows(self.freqs_cos, self.freqs_sin, input_pos, seq_len)

    def get_local_freqs(
        self, input_pos: torch.Tensor | None, seq_len: int
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """:meth:`get_freqs` for layers that see a window; None if their rotations are those of all."""
        if self.params.local_rope_theta is None:
            return None
        return self._rows(self.local_freqs_cos, self.local_freqs_sin, input_pos, seq_len)  # type: ignore[arg-type]

    def _rows(
        self, cos: torch.Tensor, sin: torch.Tensor, input_pos: torch.Tensor | None, seq_len: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        if input_pos is None:
            return cos[:seq_len], sin[:seq_len]
        if not (self.params.use_kv_cache and self.params.enable_dynamic_shape):
            return cos[input_pos], sin[input_pos]
        start: Any = input_pos[-1].item()
        torch._check(start >= 0)
        torch._check(start + seq_len <= self.params.max_context_len)
        return cos.narrow(0, start, seq_len), sin.narrow(0, start, seq_len)

    def get_freqs_using_indices(self, indices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Rows of the tables for positions."""
        return self.freqs_cos[indices], self.freqs_sin[indices]
