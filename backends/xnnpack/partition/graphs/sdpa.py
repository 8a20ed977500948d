"""Scaled dot-product attention, whole and in the pieces into which ``to_edge`` takes it."""

from __future__ import annotations

import functools

import torch
from torch.fx import GraphModule

from executorch.backends.xnnpack.partition.graphs.captured import edge_graph

_SEQUENCE, _WIDTH = 32, 64


def _attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@functools.lru_cache(maxsize=1)
def get_graphs() -> list[GraphModule]:
    """Graphs of attention with a mask: in pieces, then whole."""
    # Three tensors: captures take one that is given twice for one input.
    heads = (torch.randn(8, 16, _SEQUENCE, _WIDTH) for _ in range(3))
    inputs = (*heads, torch.zeros(_SEQUENCE, _SEQUENCE))
    whole = [torch.ops.aten.scaled_dot_product_attention.default]
    return [edge_graph(_attention, inputs, preserve) for preserve in ([], whole)]
