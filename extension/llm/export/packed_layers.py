"""Layers whose weights have their few bits in the module already, as the operators read them that programs have for processors.

=======================  =========================================
layer                    operator
=======================  =========================================
:class:`PackedLinear`    ``torch.ops.llama.linear_4w``
:class:`PackedEmbedding` ``torch.ops.quantized_decomposed.embedding_4bit``, ``embedding_2bit``
=======================  =========================================
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401  # registers torch.ops.llama
from executorch.extension.llm.custom_ops.linear_4w import pack
from executorch.extension.llm.export.paired_tensor import is_narrow
from executorch.passes.quantized.quantized_embeddings import pack_table


class PackedLinear(nn.Module):
    """A linear layer in single precision.

    Args:
        numbers: from -8 to 7, ``[n, k]``.
        scales: ``[n, groups]``.
        bias: ``[n]``, or None.
    """

    #: What it calculates in.
    dtype = torch.float32

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
            if isinstance(child, nn.Linear) and id(weight) not in shared and _is_of_kernel(weight):
                setattr(parent, name, PackedLinear(weight.qdata, weight.scale, child.bias))
    return model


class PackedEmbedding(nn.Module):
    """An embedding of 2 or 4 bits.

    Args:
        weight: torchao's tensor of the table, without zero points.
        bits: of a number.
    """

    def __init__(self, weight: Any, bits: int) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = weight.shape
        self.dtype, self._lowest = weight.dtype, -(1 << (bits - 1))
        self._operator = getattr(torch.ops.quantized_decomposed, f"embedding_{bits}bit")
        self.register_buffer("weight", pack_table(weight.qdata, bits))
        self.register_buffer("scales", weight.scale)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Rows, ``[..., embedding_dim]``."""
        args = (self.weight, self.scales, None, self._lowest, -self._lowest - 1, tokens)
        if self.dtype is torch.float32:
            found: torch.Tensor = self._operator.default(*args)
        else:
            found = self._operator.dtype(*args, dtype=self.dtype)
        return found


def pack_embedding(model: nn.Module, bits: int) -> nn.Module:
    """Exchanges the embeddings of a model that have so many bits and fill their bytes; returns the model."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            weight: Any = getattr(child, "weight", None)
            if not isinstance(child, nn.Embedding) or not is_narrow(weight):
                continue
            if not weight.shape[1] % (8 // bits) and not bool(weight.zero_point.any()):
                setattr(parent, name, PackedEmbedding(weight, bits))
    return model


def _is_of_kernel(weight: Any) -> bool:
    if not is_narrow(weight) or weight.activation_quantization is not None:
        return False
    return weight.block_size[0] == 1 and weight.dtype is torch.float32 and not bool(weight.zero_point.any())
