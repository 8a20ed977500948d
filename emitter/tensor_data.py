"""The bytes of a tensor as they lie in a file."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from executorch.dialects.torch_types import FakeTensor
from executorch.emitter.errors import EmissionError


def tensor_bytes(tensor: torch.Tensor, dim_order: Sequence[int]) -> memoryview:
    """The elements of `tensor` with its dimensions nested as `dim_order` says, outermost first.

    A dense tensor on the CPU that lies in memory like that already is referred to, not copied.

    Raises:
        EmissionError: the tensor has no data (a fake or meta tensor).
    """
    if tensor.is_meta or isinstance(tensor, FakeTensor):
        raise EmissionError(
            f"a constant of shape {list(tensor.shape)} has no data. Way out: export the model with real weights, "
            "or keep them outside the program (external constants)."
        )
    plain = tensor.detach().cpu().permute(tuple(dim_order)).contiguous().reshape(-1)
    if not plain.numel():
        return memoryview(b"")
    if plain.is_quantized:
        plain = plain.int_repr()
    return memoryview(plain.view(torch.uint8).numpy())  # type: ignore[arg-type]
