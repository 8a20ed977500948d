"""Quantization as OpenVINO's decoder takes it: a pair of quantize and dequantize is one fake quantization there.

Integers that come from elsewhere (weights, inputs) or go elsewhere are said as arithmetic.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys

aten = torch.ops.aten
_QUANTIZE = ("quantize_per_tensor", "quantize_per_channel")


def _name(node: Any) -> str:
    name = str(getattr(node, "target", "")).removeprefix("quantized_decomposed.")
    return name.split(".", maxsplit=1)[0]


def is_fake(quantize: Any) -> bool:
    """Whether this is a quantization whose integers nobody sees."""
    return (
        isinstance(quantize, Node)
        and _name(quantize) in _QUANTIZE
        and bool(quantize.users)
        and all(_name(user) == "de" + _name(quantize) for user in quantize.users)
    )


def _over_channels(graph: Graph, value: Any, axis: int, rank: int) -> Node:
    """Scales or zero points in float32, in a shape that broadcasts."""
    number = graph.call_function(aten._to_copy.default, (value,), {"dtype": torch.float32})
    return graph.call_function(aten.view.default, (number, [-1 if dim == axis else 1 for dim in range(rank)]))


def _parameters(graph: Graph, node: Node, args: tuple[Any, ...]) -> tuple[Any, Any]:
    if "channel" not in _name(node):
        return args[1], args[2]
    rank = len(node.meta[meta_keys.VAL].shape)
    axis = args[3] % rank
    return _over_channels(graph, args[1], axis, rank), _over_channels(graph, args[2], axis, rank)


def dequantize(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """``(integers - zero point) * scale``, but for the second half of a fake quantization."""
    if is_fake(node.args[0]):
        return graph.call_function(getattr(node.target, "_op", node.target), args, kwargs)  # type: ignore[arg-type]
    scale, zero_point = _parameters(graph, node, args)
    number = graph.call_function(aten._to_copy.default, args[:1], {"dtype": torch.float32})
    centred = graph.call_function(aten.sub.Tensor, (number, zero_point))
    return _in(graph, graph.call_function(aten.mul.Tensor, (centred, scale)), kwargs.get("out_dtype"))


def quantize(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """``round(x / scale) + zero point`` within the bounds, but for the first half of a fake quantization."""
    if is_fake(node):
        return graph.call_function(getattr(node.target, "_op", node.target), args, kwargs)  # type: ignore[arg-type]
    scale, zero_point = _parameters(graph, node, args)
    low, high, dtype = args[-3:]
    # As the operator does: by the inverse of the scale.
    inverse = (
        1.0 / scale if isinstance(scale, float) else graph.call_function(aten.reciprocal.default, (scale,))
    )
    steps = graph.call_function(
        aten.round.default, (graph.call_function(aten.mul.Tensor, (args[0], inverse)),)
    )
    moved = graph.call_function(aten.add.Tensor, (steps, zero_point))
    bounded = graph.call_function(aten.clamp.default, (moved, low, high))
    return graph.call_function(aten._to_copy.default, (bounded,), {"dtype": dtype})


def dequantize_groups(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """``(integers - zero points) * scales`` over (rows, groups, columns of a group), in the matrix's shape."""
    integers, scales, zero_points, *_, size, dtype = args
    rows, columns = node.meta[meta_keys.VAL].shape

    def number(value: Any, last: int) -> Node:
        value = graph.call_function(aten._to_copy.default, (value,), {"dtype": torch.float32})
        return graph.call_function(aten.view.default, (value, [rows, columns // size, last]))

    centred = graph.call_function(aten.sub.Tensor, (number(integers, size), number(zero_points, 1)))
    scaled = graph.call_function(aten.mul.Tensor, (centred, number(scales, 1)))
    return _in(graph, graph.call_function(aten.view.default, (scaled, [rows, columns])), dtype)


def _in(graph: Graph, value: Node, dtype: torch.dtype | None) -> Node:
    """A result in float32 in the elements that were asked for."""
    if dtype is None or dtype == torch.float32:
        return value
    return graph.call_function(aten._to_copy.default, (value,), {"dtype": dtype})
