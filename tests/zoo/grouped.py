"""The grouped product that `transformers` registers from its fifth major version on, for where an older one is installed."""

from __future__ import annotations

import torch

_NAME = "transformers::grouped_mm_fallback"


def _products(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    output = input.new_zeros(input.shape[0], weight.shape[2])
    start = 0
    for matrix, end in zip(weight, offs.tolist(), strict=True):
        output[start:end] = input[start:end] @ matrix
        start = end
    return output


def grouped_mm(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    """Rows ``[offs[g - 1], offs[g])`` of [s, k] times matrix ``g`` of [g, k, n], by the operator that `transformers` calls.

    That is torch's own for bfloat16, which is all that torch takes ahead of time, and one of the library's for the rest.
    """
    if input.dtype == torch.bfloat16:
        return torch._grouped_mm(input, weight, offs)
    result: torch.Tensor = torch.ops.transformers.grouped_mm_fallback(input, weight, offs)
    return result


if not hasattr(torch.ops.transformers, "grouped_mm_fallback"):
    _op = torch.library.custom_op(_NAME, _products, mutates_args=())
    _op.register_fake(lambda input, weight, offs: input.new_empty(input.shape[0], weight.shape[2]))
