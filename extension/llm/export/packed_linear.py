"""Linear layers of four bits in groups that stay so in programs: weights as ``torch.ops.llama.linear_4w`` reads them."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  # registers torch.ops.llama
from executorch.extension.llm.custom_ops.linear_4w import pack

#: The most bits, of numbers from -8 to 7.
BITS = 4

_NARROW = tuple(getattr(torch, f"int{bits}") for bits in range(1, BITS + 1))


class PackedLinear(nn.Module):
    """A linear layer in single precision.

    Args:
        numbers: from -8 to 7, ``[n, k]``.
        scales: ``[n, groups]``.
        bias: ``[n]``, or None.
    """

    bias: torch.Tensor | None

    def __init__(self, numbers: torch.Tensor, scales: torch.Tensor, bias: torch.Tensor | None) -> None:
        super().__init__()
        self.out_features, self.in_features = numbers.shape
        weight, packed_scales = pack(numbers, scales)
        self.register_buffer("weight", weight)
        self.register_buffer("scales", packed_scales)
        self.register_buffer("bias", None if bias is None else bias.detach().float())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``[..., k]`` to ``[..., n]``."""
        y: torch.Tensor = torch.ops.llama.linear_4w(x, self.weight, self.scales, self.out_features)
        return y if self.bias is None else y + self.bias


def pack_linear(model: nn.Module) -> nn.Module:
    """Exchanges the layers of a model whose weights alone have at most four bits, in groups without zero points; returns the model."""
    shared = {id(one.weight) for one in model.modules() if isinstance(one, nn.Embedding)}
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            weight: Any = getattr(child, "weight", None)
            if isinstance(child, nn.Linear) and id(weight) not in shared and _is_narrow(weight):
                setattr(parent, name, PackedLinear(weight.qdata, weight.scale, child.bias))
    return model


def _is_narrow(weight: Any) -> bool:
    if getattr(weight, "target_dtype", None) not in _NARROW or weight.activation_quantization is not None:
        return False
    return weight.block_size[0] == 1 and weight.dtype is torch.float32 and not bool(weight.zero_point.any())
