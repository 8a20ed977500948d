"""Reads where values are quantized in a converted graph, and writes operators on the integers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import torch
from torch.fx import Node

from executorch.dialects.torch_types import OpOverload
from executorch.ir.rewriter import new_call

_aten = torch.ops.aten
_QUANTIZE: Final = "quantized_decomposed::quantize_per_tensor"
_DEQUANTIZE: Final = "quantized_decomposed::dequantize_per_tensor"


class Quantized(NamedTuple):
    """A value as integers.

    Attributes:
        node: gives the integers; of what is quantized here, the quantization itself.
        scale, zero_point: ``(integer - zero_point) * scale`` is the value.
        low: the smallest integer.
        dtype: of the integers.
    """

    node: Node
    scale: float
    zero_point: int
    low: int
    dtype: torch.dtype

    @property
    def quant(self) -> tuple[float, int]:
        return self.scale, self.zero_point


def _calls(node: Any, name: str) -> bool:
    if not isinstance(node, Node) or node.op != "call_function" or not isinstance(node.target, OpOverload):
        return False
    return node.target.name() == name


def dequantized(node: Any) -> Quantized | None:
    """The integers that ``node`` dequantizes."""
    if not _calls(node, _DEQUANTIZE):
        return None
    source, scale, zero_point, low, _, dtype = node.args[:6]
    return Quantized(source, scale, zero_point, low, dtype)


def quantization(node: Any) -> Quantized | None:
    """The integers that ``node`` makes of a value."""
    if not _calls(node, _QUANTIZE):
        return None
    _, scale, zero_point, low, _, dtype = node.args[:6]
    return Quantized(node, scale, zero_point, low, dtype)


def quantized_by(node: Node) -> Quantized | None:
    """How the value of ``node`` is quantized, if nobody reads it otherwise."""
    return quantization(next(iter(node.users))) if len(node.users) == 1 else None


def write(place: Node, op: OpOverload, *args: Any) -> Node:
    """A call before ``place``, whose origin it shares."""
    with place.graph.inserting_before(place):
        return new_call(place, op, args)


def replace_with(output: Quantized, op: OpOverload, *args: Any) -> Node:
    """A call in the place of the quantization ``output``."""
    made = write(output.node, op, *args)
    output.node.replace_all_uses_with(made, propagate_meta=False)
    output.node.graph.erase_node(output.node)
    return made


def filled(place: Node, size: Sequence[Any], value: float, dtype: torch.dtype) -> Node:
    """A constant before ``place``."""
    with place.graph.inserting_before(place):
        return new_call(place, _aten.full.default, (list(size), value), {"dtype": dtype})


def bias_of(place: Node, bias: Any, outputs: Any) -> Node | None:
    """The integers of a bias, zeros if there is none; None if it is not quantized."""
    if bias is None:
        return filled(place, [outputs], 0, torch.int32)
    found = dequantized(bias)
    return found.node if found is not None and found.dtype == torch.int32 else None


def argument(node: Node, position: int, default: Any) -> Any:
    """A positional argument, or its default."""
    return node.args[position] if position < len(node.args) else default


__all__ = [
    "Quantized",
    "argument",
    "bias_of",
    "dequantized",
    "filled",
    "quantization",
    "quantized_by",
    "replace_with",
    "write",
]
