"""Scaled dot-product attention, in pieces.

A row of scores that the mask hides as a whole gives zeros, as in eager mode, where XNNPACK's softmax would divide zero
by zero. So a mask is taken apart into finite numbers to add, and factors that are 0 where it is minus infinity; masks
that are constants and hide no whole row are added as they are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.xnnpack.graph.builder import (
    ElementType,
    GraphBuilder,
    shape_of,
    sizes_of,
    torch_datatype,
)
from executorch.backends.xnnpack.graph.lowering import Operator, lowers
from executorch.backends.xnnpack.serialization import schema
from executorch.dialects import meta_keys

_TRANSPOSE_WEIGHTS = 1


@dataclass(frozen=True)
class Mask:
    """What a mask does to scores.

    Attributes:
        added: the value that is added to the scores.
        factor: the value that the softmax of the sums is multiplied with, None where that changes nothing.
        is_same_for_queries: whether it has one row for all, of all heads.
    """

    added: int
    factor: int | None = None
    is_same_for_queries: bool = False


def is_same_for_queries(mask: torch.Tensor) -> bool:
    """Whether a mask has one row for all queries, of all heads."""
    return all(isinstance(size, int) and size == 1 for size in mask.shape[-3:-1])


def attention_refusal(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: Any = None,
    is_causal: bool = False,
    enable_gqa: bool = False,
) -> str | None:
    """Why XNNPACK cannot be given an attention, None if it can.

    Args:
        query, key, value: examples.
        mask: the node of the mask, if there is one.
        is_causal, enable_gqa: as the operator has them.
    """
    if is_causal and any(map(_is_symbolic, (query.shape[-1], query.shape[-2], key.shape[-2]))):
        return "it is causal, of a symbolic size"
    rank = query.dim()
    batches = rank >= 3 and query.shape[:-3] == key.shape[:-3] and key.shape[:-2] == value.shape[:-2]
    if batches and query.shape[-3] == key.shape[-3]:
        return None
    if not batches or rank < 4:
        return "query, key and value differ in their first dimensions, or have none"
    heads, shared = query.shape[-3], key.shape[-3]
    if _is_symbolic(heads) or _is_symbolic(shared) or heads % shared or not (enable_gqa or shared == 1):
        return "its heads do not share keys evenly"
    sizes = [*query.shape[:-3], query.shape[-2]]
    if is_causal or (isinstance(mask, Node) and not is_same_for_queries(mask.meta[meta_keys.VAL])):
        sizes.append(key.shape[-2])
    return (
        "heads share keys, and more than one size is symbolic" if sum(map(_is_symbolic, sizes)) > 1 else None
    )


def _is_symbolic(size: object) -> bool:
    return not isinstance(size, int)


@lowers("aten.scaled_dot_product_attention.default")
def attention(operator: Operator) -> None:
    """``softmax(query @ key.T * scale + mask) @ value``; keys are transposed while they are packed.

    Heads that share keys and values are one with the queries of all of them.
    """
    builder = operator.builder
    query, key, value = (_node(one) for one in operator.node.args[:3])
    kind = builder.type_of(query)
    sizes, keys = sizes_of(query), sizes_of(key)[-2]
    rows = _rows(sizes, sizes_of(key))
    scaled = _scaled(operator, query)
    if rows != sizes[:-1]:
        scaled = builder.reshape(scaled, [*rows, sizes[-1]], kind)
    scores = builder.value([*rows, keys], kind)
    _batched(operator, scaled, builder.input(key), scores, _TRANSPOSE_WEIGHTS)
    mask = _mask_of(operator, shape_of(query)[-2], shape_of(key)[-2])
    # A mask has rows for the queries of one head.
    shape = rows if mask is None or mask.is_same_for_queries else sizes[:-1]
    if shape != rows:
        scores = builder.reshape(scores, [*shape, keys], kind)
    weights = _weights(operator, scores, [*shape, keys], mask)
    if shape != rows:
        weights = builder.reshape(weights, [*rows, keys], kind)
    if rows == sizes[:-1]:
        _batched(operator, weights, builder.input(value), operator.output())
        return
    result = builder.value([*rows, sizes_of(value)[-1]], kind)
    _batched(operator, weights, builder.input(value), result)
    builder.reshape(result, sizes_of(operator.node), kind, operator.output(), operator.node)


def _node(argument: Any) -> Node:
    assert isinstance(argument, Node)
    return argument


def _rows(query: list[Any], key: list[Any]) -> list[Any]:
    """The sizes of a query but for the last, with as many heads as there are keys for, and the queries of all."""
    if len(query) < 4 or query[-3] == key[-3]:
        return query[:-1]
    return [*query[:-3], key[-3], query[-3] // key[-3] * query[-2]]


def _scaled(operator: Operator, query: Node) -> int:
    builder, shape = operator.builder, shape_of(query)
    scale = operator.argument(6, "scale")
    factor = shape[-1] ** -0.5 if scale is None else float(scale)
    scaled = builder.value(shape, builder.type_of(query))
    number = builder.constant(torch.tensor([factor], dtype=query.meta[meta_keys.VAL].dtype))
    builder.add(
        schema.XNNMultiply(input1_id=builder.input(query), input2_id=number, output_id=scaled), operator.node
    )
    return scaled


def _weights(operator: Operator, scores: int, shape: list[Any], mask: Mask | None) -> int:
    """The softmax of scores, masked."""
    builder, kind = operator.builder, operator.output_type
    if mask is not None:
        masked = builder.value(shape, kind)
        builder.add(schema.XNNAdd(input1_id=scores, input2_id=mask.added, output_id=masked), operator.node)
        scores = masked
    weights = builder.value(shape, kind)
    builder.add(schema.XNNSoftmax(input_id=scores, output_id=weights), operator.node)
    if mask is None or mask.factor is None:
        return weights
    kept = builder.value(shape, kind)
    builder.add(schema.XNNMultiply(input1_id=weights, input2_id=mask.factor, output_id=kept), operator.node)
    return kept


def _batched(operator: Operator, first: int, second: int, target: int, flags: int = 0) -> None:
    made = schema.XNNBatchMatrixMultiply(input1_id=first, input2_id=second, output_id=target, flags=flags)
    operator.builder.add(made, operator.node)


def _mask_of(operator: Operator, queries: int, keys: int) -> Mask | None:
    """The mask of an attention, None if it has none."""
    builder, node = operator.builder, operator.argument(3, "attn_mask")
    dtype = operator.node.meta[meta_keys.VAL].dtype
    if operator.argument(5, "is_causal", False):
        return Mask(builder.constant(torch.full((queries, keys), -math.inf, dtype=dtype).triu(1)))
    if node is None:
        return None
    tensor = builder.tensor_of(node)
    # Layers share a mask, and what is made of it.
    known: Mask | None = builder.shared.get((node, dtype))
    if known is None:
        if tensor is not None:
            known = _constant_mask(builder, tensor, dtype)
        elif node.meta[meta_keys.VAL].dtype is torch.bool:
            known = _boolean_mask(builder, node, dtype)
        else:
            known = _float_mask(builder, node, dtype)
        known = replace(known, is_same_for_queries=is_same_for_queries(node.meta[meta_keys.VAL]))
        builder.shared[node, dtype] = known
    return known


def _constant_mask(builder: GraphBuilder, tensor: torch.Tensor, dtype: torch.dtype) -> Mask:
    if tensor.dtype is torch.bool:
        tensor = torch.zeros(tensor.shape, dtype=dtype).masked_fill(~tensor, -math.inf)
    hidden = tensor == -math.inf
    if not bool(hidden.all(-1).any()):
        return Mask(builder.constant(tensor))
    factor = builder.constant((~hidden).to(dtype))
    return Mask(builder.constant(tensor.clamp(min=_lowest(dtype))), factor)


def _lowest(dtype: torch.dtype) -> float:
    """A number that hides a score, and stays finite when scores are added."""
    return torch.finfo(dtype).min / 2


def _float_mask(builder: GraphBuilder, node: Node, dtype: torch.dtype) -> Mask:
    """Every number but minus infinity, however low, is at least 0 when the highest number is added."""
    shape, kind = shape_of(node), builder.type_of(node)
    mask = builder.input(node)
    finite = builder.value(shape, kind)
    builder.add(schema.XNNClamp(input_id=mask, output_id=finite), limits=(_lowest(dtype), math.inf))
    raised, clamped, factor = (builder.value(shape, kind) for _ in range(3))
    highest, one = _number(builder, torch.finfo(dtype).max, dtype), _number(builder, 1, dtype)
    builder.add(schema.XNNAdd(input1_id=mask, input2_id=highest, output_id=raised))
    builder.add(schema.XNNClamp(input_id=raised, output_id=clamped), limits=(-1.0, 0.0))
    builder.add(schema.XNNAdd(input1_id=clamped, input2_id=one, output_id=factor))
    return Mask(finite, factor)


def _boolean_mask(builder: GraphBuilder, node: Node, dtype: torch.dtype) -> Mask:
    """Bytes that are 0 and 1 stand for these numbers as they are."""
    shape, single = shape_of(node), ElementType(torch_datatype(torch.float32))
    factor = builder.value(shape, single)
    builder.add(schema.XNNConvert(input_id=builder.input(node), output_id=factor))
    kind = ElementType(torch_datatype(dtype))
    if dtype is not torch.float32:
        source, factor = factor, builder.value(shape, kind)
        builder.add(schema.XNNConvert(input_id=source, output_id=factor))
    lowered, added = builder.value(shape, kind), builder.value(shape, kind)
    one, lowest = _number(builder, 1, dtype), _number(builder, -_lowest(dtype), dtype)
    builder.add(schema.XNNSubtract(input1_id=factor, input2_id=one, output_id=lowered))
    builder.add(schema.XNNMultiply(input1_id=lowered, input2_id=lowest, output_id=added))
    return Mask(added, factor)


def _number(builder: GraphBuilder, number: float, dtype: torch.dtype) -> int:
    return builder.constant(torch.tensor([number], dtype=dtype))
