"""The Hadamard transform of rotated models."""

from __future__ import annotations

import math

import torch

from executorch.extension.llm.custom_ops.operands import need

#: The matrix of order 28 that models were rotated with: a row a number, its first entry the highest bit; set is -1.
_ORDER_28 = (
    133720396,
    201069734,
    233712147,
    250025289,
    258181860,
    262268210,
    265343641,
    63953362,
    33025193,
    150730324,
    209574698,
    238996885,
    253716170,
    127906597,
    95625118,
    180989839,
    90503111,
    179469283,
    223952369,
    111984376,
    189169468,
    107704511,
    188069983,
    227204207,
    114642551,
    58361723,
    162350077,
    215392766,
)


def fast_hadamard_transform(mat: torch.Tensor) -> torch.Tensor:
    """Transforms the last dimension, whose size is a power of two, or 28 times one.

    The part that is a power of two is orthonormal; the matrix of order 28 has entries of 1 and -1.

    Raises:
        OperandError: The last dimension has another size, or the elements are no floating-point numbers.
    """
    size = mat.shape[-1] if mat.dim() else 0
    odd = 28 if size and size % 28 == 0 else 1
    power = size // odd
    need(
        power > 0 and power & (power - 1) == 0,
        f"the last dimension must be a power of two, or 28 times one; it is {size}",
    )
    need(mat.is_floating_point(), f"Expected mat to be floating point but got {mat.dtype}")
    wide = mat.double() if mat.dtype == torch.float64 else mat.float()
    result = wide.reshape(-1, odd, power)
    half = 1
    while half < power:
        pairs = result.reshape(-1, odd, power // (2 * half), 2, half)
        low, high = pairs[..., 0, :], pairs[..., 1, :]
        result = torch.stack((low + high, low - high), -2).reshape(-1, odd, power)
        half *= 2
    result = result / math.sqrt(power)
    if odd == 28:
        signs = [[-1.0 if row >> (27 - place) & 1 else 1.0 for place in range(28)] for row in _ORDER_28]
        result = torch.einsum("bip,ij->bjp", result, result.new_tensor(signs))
    return result.reshape(mat.shape).to(mat.dtype)


__all__ = ["fast_hadamard_transform"]
