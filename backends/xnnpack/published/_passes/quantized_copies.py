"""Conversions to and from integers around what only moves elements."""

from __future__ import annotations

import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.fx import Node

from executorch.backends.xnnpack.graph.constants import DEQUANTIZE, QUANTIZE, name_of
from executorch.backends.xnnpack.published._passes.edits import new_call


def is_dequantized(node: Node) -> bool:
    """Whether ``node`` dequantizes a tensor with one scale."""
    return name_of(node) == DEQUANTIZE


def is_quantization(node: Node) -> bool:
    """Whether ``node`` quantizes a tensor with one scale."""
    return name_of(node) == QUANTIZE


def requantized(moved: Node, dequantization: Node) -> list[Node]:
    """``moved`` quantized as what ``dequantization`` reads, and dequantized: the two nodes, behind ``moved``.

    A quantized operator is looked for between a dequantization and a quantization, so a node that comes between needs a
    pair of its own.
    """
    parameters = dequantization.args[1:]
    with moved.graph.inserting_after(moved):
        integers = new_call(
            moved, torch.ops.quantized_decomposed.quantize_per_tensor.default, (moved, *parameters)
        )
    with moved.graph.inserting_after(integers):
        numbers = new_call(dequantization, dequantization.target, (integers, *parameters))
    return [integers, numbers]
