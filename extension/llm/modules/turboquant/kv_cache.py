"""A cache in four bits by rotation (TurboQuant, https://arxiv.org/abs/2504.19874).

A vector's length is kept as it is, and its direction, turned by a random rotation, element by element in the best 16 values for what
elements of random directions are: their distribution is known, whatever the text, so nothing has to be calibrated.
"""

from __future__ import annotations

import torch
from torch import nn

from executorch.extension.llm.modules.turboquant.codebook import generate_rotation_matrix, solve_lloyd_max


class TurboQuantKVCache(nn.Module):
    """Keys and values in four bits an element, and a length for each vector.

    Args:
        n_heads, head_dim, max_seq_len: sizes; ``head_dim`` is even.
        bits: of an element, 4.
        seed: of the rotation.

    Attributes:
        centroids: ``[16]``, what the bits stand for.
        rotation_T: ``[head_dim, head_dim]``: a vector times this is turned; times its transpose, turned back.

    Raises:
        ValueError: ``head_dim`` is odd, or there are other bits.
    """

    k_packed: torch.Tensor
    k_norms: torch.Tensor
    v_packed: torch.Tensor
    v_norms: torch.Tensor
    centroids: torch.Tensor
    boundaries: torch.Tensor
    rotation_T: torch.Tensor

    def __init__(self, n_heads: int, head_dim: int, max_seq_len: int, bits: int = 4, seed: int = 42) -> None:
        super().__init__()
        if head_dim % 2:
            raise ValueError(f"two elements share a byte: head_dim is even, not {head_dim}")
        if bits != 4:
            raise ValueError(f"elements have 4 bits, not {bits}")
        self.n_heads, self.head_dim, self.max_seq_len = n_heads, head_dim, max_seq_len
        centroids, boundaries = solve_lloyd_max(head_dim, bits)
        self.register_buffer("centroids", centroids.clone())
        self.register_buffer("boundaries", boundaries.clone())
        self.register_buffer("rotation_T", generate_rotation_matrix(head_dim, seed).T.contiguous())
        for name in ("k", "v"):
            packed = torch.zeros((1, n_heads, max_seq_len, head_dim // 2), dtype=torch.uint8)
            self.register_buffer(f"{name}_packed", packed)
            norms = torch.zeros((1, n_heads, max_seq_len, 1), dtype=torch.bfloat16)
            self.register_buffer(f"{name}_norms", norms)

    def forward(
        self, input_pos: torch.Tensor, k_val: torch.Tensor, v_val: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """:meth:`update`."""
        return self.update(input_pos, k_val, v_val)

    def update(
        self, input_pos: torch.Tensor, k_val: torch.Tensor, v_val: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Writes keys and values.

        Args:
            input_pos: position of each token, int64 ``[tokens]``.
            k_val, v_val: ``[1, heads, tokens, head_dim]``.

        Returns:
            All bytes and lengths of keys, then of values: uint8 ``[1, heads, positions, head_dim / 2]``, the even element in the
            high half of a byte, and bfloat16 ``[1, heads, positions, 1]``.
        """
        for value, packed, norms in (
            (k_val, self.k_packed, self.k_norms),
            (v_val, self.v_packed, self.v_norms),
        ):
            bits, length = self._compressed(value)
            packed.index_copy_(2, input_pos, bits)
            norms.index_copy_(2, input_pos, length.to(norms.dtype))
        return self.k_packed, self.k_norms, self.v_packed, self.v_norms

    def values(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys and values of all positions, float32 ``[1, heads, positions, head_dim]``."""
        keys = self._values(self.k_packed, self.k_norms)
        return keys, self._values(self.v_packed, self.v_norms)

    def _compressed(self, value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        wide = value.float()
        length = wide.norm(dim=-1, keepdim=True)
        turned = wide / length.clamp(min=1e-10) @ self.rotation_T
        numbers = torch.bucketize(turned, self.boundaries).to(torch.uint8)
        return (numbers[..., 0::2] << 4) | numbers[..., 1::2], length

    def _values(self, packed: torch.Tensor, norms: torch.Tensor) -> torch.Tensor:
        numbers = torch.stack((packed >> 4, packed & 0xF), dim=-1).flatten(-2).long()
        return self.centroids[numbers] @ self.rotation_T.T * norms.float()
