"""Layers between int8 and int8: what static quantization says around them becomes one call that calculates with integers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.operands import rank, spread, tensor
from executorch.backends.vulkan.graph.call import Call
from executorch.backends.vulkan.graph.fusions import clamp_limits
from executorch.ir.rewriter import arguments

QUANTIZE = "quantized_decomposed.quantize_per_tensor.default"
DEQUANTIZE = "quantized_decomposed.dequantize_per_tensor.default"
_PER_CHANNEL = "quantized_decomposed.dequantize_per_channel.default"
_LINEAR, _CONVOLUTION, _ADD = "aten.linear.default", "aten.convolution.default", "aten.add.Tensor"


@dataclass(frozen=True)
class Layer:
    """A layer of weights, before they are looked up.

    Attributes:
        call: its name, and its arguments but for weights, factors and bias, which stand behind the first two.
        scale: of the input.
        weight: the call that dequantizes the weights.
        bias: the node of the bias, if there is one.
    """

    call: Call
    scale: float
    weight: Node
    bias: Node | None


def int8_calls(nodes: Iterable[Node], constants: Constants) -> dict[Node, Call | Layer]:
    """The call that quantizes -> what is calculated from int8 to int8 up to there."""
    found = {}
    for node in nodes:
        made = _match(node, constants) if name_of(node) == QUANTIZE else None
        if made is not None:
            found[node] = made
    return found


def weights_of(layer: Layer, constants: Constants) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]:
    """Weights, the factor of each output, and the bias."""
    named = arguments(layer.weight)
    stored = constants[named["input"]].to(torch.int8)
    scales = constants[named["scales"]] if name_of(layer.weight) == _PER_CHANNEL else named["scale"]
    factors = torch.as_tensor(scales, dtype=torch.float64).reshape(-1) * layer.scale
    bias = None if layer.bias is None else constants[layer.bias].float().reshape(-1)
    return stored, factors.float().expand(stored.shape[0]).contiguous(), bias


def _match(node: Node, constants: Constants) -> Call | Layer | None:
    how = arguments(node)
    if tensor(node).dtype is not torch.int8:
        return None
    limits, source = _clamped(how)
    if source is None or len(source.users) != 1 or source in constants:
        return None
    result = [how["scale"], how["zero_point"], *limits]
    name = name_of(source)
    if name == _ADD:
        return _sum(source, result)
    return _layer(source, name, result, constants) if name in (_LINEAR, _CONVOLUTION) else None


def _clamped(how: dict[str, Any]) -> tuple[tuple[int, int], Node | None]:
    """The integers that a result may be, and what is clamped to them."""
    least, most, source = how["quant_min"], how["quant_max"], how["input"]
    limits = clamp_limits(source)
    if limits is None:
        return (least, most), source

    def quantized(value: float | None, otherwise: int) -> int:
        if value is None or math.isinf(value):
            return otherwise
        return int(min(max(round(value / how["scale"]) + how["zero_point"], least), most))

    low, high = quantized(limits[0], least), quantized(limits[1], most)
    return (low, high), source.args[0] if len(source.users) == 1 and low <= high else None


def _source(node: Any) -> tuple[Node, float, int] | None:
    """The int8 tensor that a node dequantizes, its scale and zero point."""
    if not isinstance(node, Node) or name_of(node) != DEQUANTIZE:
        return None
    named = arguments(node)
    if tensor(named["input"]).dtype is not torch.int8 or isinstance(named["scale"], Node):
        return None
    return named["input"], float(named["scale"]), int(named["zero_point"])


def _sum(node: Node, result: list[Any]) -> Call | None:
    named = arguments(node)
    parts = [_source(named[one]) for one in ("self", "other")]
    if any(one is None for one in parts) or named["alpha"] != 1:
        return None
    shapes = [[str(size) for size in tensor(named[one]).shape] for one in ("self", "other")]
    if shapes[0] != shapes[1]:
        return None
    return Call(
        "et_vk.add_int8.default",
        tuple(item for one in parts if one is not None for item in one) + tuple(result),
    )


def _layer(node: Node, name: str, result: list[Any], constants: Constants) -> Layer | None:
    named = arguments(node)
    source, weight, bias = _source(named["input"]), named["weight"], named["bias"]
    if (
        source is None
        or source[0] in constants
        or weight not in constants
        or (bias is not None and bias not in constants)
    ):
        return None
    if not _is_symmetric(weight, constants):
        return None
    int8, scale, zero = source
    if name == _LINEAR:
        return Layer(Call("et_vk.linear_int8.default", (int8, zero, *result)), scale, weight, bias)
    count = rank(named["input"]) - 2
    if named["transposed"] or count not in (1, 2):
        return None
    shape = [spread(named[one], count) for one in ("stride", "padding", "dilation")]
    call = Call("et_vk.conv_int8.default", (int8, zero, *result, *shape, named["groups"]))
    return Layer(call, scale, weight, bias)


def _is_symmetric(weight: Node, constants: Constants) -> bool:
    """Whether weights are int8 without zero points, with one scale or one for each output."""
    named = arguments(weight) if name_of(weight) in (DEQUANTIZE, _PER_CHANNEL) else {}
    if not named or tensor(named["input"]).dtype is not torch.int8:
        return False
    if name_of(weight) == DEQUANTIZE:
        return named["zero_point"] == 0 and not isinstance(named["scale"], Node)
    zeros = named["zero_points"]
    return named["axis"] == 0 and (zeros is None or not bool(constants[zeros].any()))
