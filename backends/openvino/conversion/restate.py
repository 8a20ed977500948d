"""How operators are said that OpenVINO's decoder does not know, or that OpenVINO takes for others."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.backends.openvino.conversion import quantization, rotations
from executorch.dialects import meta_keys

aten = torch.ops.aten

#: The copying form that the edge dialect has -> the form that the decoder knows.
RENAMED = {
    "aten._unsafe_index.Tensor": aten.index.Tensor,
    "aten.detach_copy.default": aten.alias.default,
    "aten.lift_fresh_copy.default": aten.alias.default,
    "aten.split_copy.Tensor": aten.split.Tensor,
    "aten.squeeze_copy.dim": aten.squeeze.dim,
    "aten.t_copy.default": aten.t.default,
    "aten.transpose_copy.int": aten.transpose.int,
    "aten.unbind_copy.int": aten.unbind.int,
    "dim_order_ops._clone_dim_order.default": aten.alias.default,
}

Restatement = Callable[[Graph, Node, tuple[Any, ...], dict[str, Any]], Any]


def _value(node: Any) -> Any:
    return node.meta[meta_keys.VAL]


def _cast(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    dtype = kwargs.get("dtype")
    if dtype is None:
        return graph.call_function(aten.alias.default, args[:1])
    return graph.call_function(aten._to_copy.default, args[:1], {"dtype": dtype})


def _truncated(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    rounded = graph.call_function(aten.floor.default, (graph.call_function(aten.abs.default, args),))
    return graph.call_function(aten.mul.Tensor, (graph.call_function(aten.sign.default, args), rounded))


def _put(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Behind dimensions that are taken whole, the decoder wants values of as many dimensions as the tensor has."""
    into, indices, values, *rest = args
    lacking = _value(node).dim() - _value(node.args[2]).dim()
    for _ in range(lacking if None in indices else 0):
        values = graph.call_function(aten.unsqueeze.default, (values, 0))
    return graph.call_function(aten.index_put.default, (into, indices, values, *rest), kwargs)


def _windows(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """The decoder counts dimensions from the front."""
    data, dim, *rest = args
    return graph.call_function(aten.unfold.default, (data, dim % _value(node.args[0]).dim(), *rest), kwargs)


def _empty(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Somebody writes the elements before they are read."""
    return graph.call_function(aten.full.default, (args[0], 0), {"dtype": _value(node).dtype})


def _power_of_two(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    return graph.call_function(aten.pow.Scalar, (2.0, *args))


def _norm_of_batch(
    graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Node | None, ...]:
    """By the statistics of what comes in; these are no results of a delegate."""
    x, weight, bias, *_, epsilon = args
    rank = _value(node.args[0]).dim()
    dims = [0, *range(2, rank)]

    def scaled(value: Node, op: Any, factor: Any) -> Node:
        if factor is None:
            return value
        factor = graph.call_function(aten.view.default, (factor, [-1, *[1] * (rank - 2)]))
        return graph.call_function(op, (value, factor))

    centred = graph.call_function(aten.sub.Tensor, (x, graph.call_function(aten.mean.dim, (x, dims, True))))
    squares = graph.call_function(aten.mul.Tensor, (centred, centred))
    spread = graph.call_function(
        aten.add.Tensor, (graph.call_function(aten.mean.dim, (squares, dims, True)), epsilon)
    )
    normed = graph.call_function(
        aten.mul.Tensor, (centred, graph.call_function(aten.rsqrt.default, (spread,)))
    )
    return scaled(scaled(normed, aten.mul.Tensor, weight), aten.add.Tensor, bias), None, None


def _norm_of_groups(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """OpenVINO's CPU wants a dimension behind the channels."""
    x, *rest = args
    if _value(node.args[0]).dim() > 2:
        return graph.call_function(aten.native_group_norm.default, args, kwargs)
    x = graph.call_function(aten.unsqueeze.default, (x, -1))
    made = graph.call_function(aten.native_group_norm.default, (x, *rest), kwargs)
    first = graph.call_function(operator.getitem, (made, 0))
    return graph.call_function(aten.squeeze.dim, (first, -1)), None, None


def _precise(op: Any, *series: float) -> Restatement:
    """OpenVINO calculates ``op`` by a sum with one, which leaves no digits of small numbers; these have a series."""

    def restated(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
        plain = graph.call_function(op, args, kwargs)
        if not _value(node.args[0]).dtype.is_floating_point:
            return plain
        (x,) = args
        near = graph.call_function(aten.lt.Scalar, (graph.call_function(aten.abs.default, (x,)), 0.02))
        total: Any = series[-1]
        for factor in (*reversed(series[:-1]), 1.0):
            total = graph.call_function(aten.mul.Tensor, (x, total))
            total = graph.call_function(aten.add.Tensor, (total, factor))
        return graph.call_function(
            aten.where.self, (near, graph.call_function(aten.mul.Tensor, (x, total)), plain)
        )

    return restated


def _attention(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """The decoder has keys for each head, and a dimension of heads or of a batch; rows of which a mask leaves nothing are zeros,
    where OpenVINO divides them by zero.
    """
    query, key, value, *rest = args
    kwargs = dict(kwargs)
    heads = [_value(one).shape[-3:] for one in node.args[:3]]
    is_matrix = len(heads[0]) == 2
    if kwargs.pop("enable_gqa", False):
        key, value = (
            graph.call_function(aten.repeat_interleave.self_int, (one, heads[0][0] // sizes[0], -3))
            for one, sizes in zip((key, value), heads[1:], strict=True)
        )
    if is_matrix:
        query, key, value = (
            graph.call_function(aten.unsqueeze.default, (one, 0)) for one in (query, key, value)
        )
    made = graph.call_function(aten.scaled_dot_product_attention.default, (query, key, value, *rest), kwargs)
    mask = node.args[3] if len(node.args) > 3 else node.kwargs.get("attn_mask")
    if isinstance(mask, Node):
        live: Any = rest[0] if rest else kwargs["attn_mask"]
        if _value(mask).dtype != torch.bool:
            live = graph.call_function(aten.ne.Scalar, (live, -math.inf))
        live = graph.call_function(aten.any.dim, (live, -1, True))
        made = graph.call_function(
            aten.masked_fill.Scalar, (made, graph.call_function(aten.logical_not.default, (live,)), 0.0)
        )
    return graph.call_function(aten.squeeze.dim, (made, 0)) if is_matrix else made


def _apart(graph: Graph, value: Node) -> Node:
    return graph.call_function(aten.clamp.default, (value, -math.inf))


def _extreme(op: Any) -> Restatement:
    """OpenVINO 2026.4 makes a reduction to extremes and the fake quantization behind it one, which rounds to other numbers."""

    def restate(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = graph.call_function(op, args, kwargs)
        is_floating = _value(node.args[0]).dtype.is_floating_point
        if not is_floating or not any(map(quantization.is_fake, node.graph.nodes)):
            return made
        if isinstance(_value(node), torch.Tensor):
            return _apart(graph, made)
        values, places = (graph.call_function(operator.getitem, (made, index)) for index in (0, 1))
        return [_apart(graph, values), places]

    return restate


#: Operators that the decoder has not, in those that it has, or takes for others.
RESTATED: dict[str, Restatement] = {
    "aten._native_batch_norm_legit.no_stats": _norm_of_batch,
    "aten._to_copy.default": _cast,
    "aten.amax.default": _extreme(aten.amax.default),
    "aten.amin.default": _extreme(aten.amin.default),
    "aten.index_put.default": _put,
    "aten.exp2.default": _power_of_two,
    "aten.expm1.default": _precise(aten.expm1.default, 1 / 2, 1 / 6, 1 / 24),
    "aten.log1p.default": _precise(aten.log1p.default, -1 / 2, 1 / 3, -1 / 4, 1 / 5),
    "aten.max.default": _extreme(aten.max.default),
    "aten.max.dim": _extreme(aten.max.dim),
    "aten.min.default": _extreme(aten.min.default),
    "aten.min.dim": _extreme(aten.min.dim),
    "aten.mul.Tensor": rotations.product,
    "aten.native_group_norm.default": _norm_of_groups,
    "aten.neg.default": rotations.opposite,
    "aten.scaled_dot_product_attention.default": _attention,
    "aten.sub.Tensor": rotations.difference,
    "aten.trunc.default": _truncated,
    "aten.unfold_copy.default": _windows,
    "dim_order_ops._empty_dim_order.default": _empty,
    "dim_order_ops._to_dim_order_copy.default": _cast,
    "quantized_decomposed.dequantize_per_channel.default": quantization.dequantize,
    "quantized_decomposed.dequantize_per_channel_group.default": quantization.dequantize_groups,
    "quantized_decomposed.dequantize_per_tensor.default": quantization.dequantize,
    "quantized_decomposed.quantize_per_channel.default": quantization.quantize,
    "quantized_decomposed.quantize_per_tensor.default": quantization.quantize,
}
