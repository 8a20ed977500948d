"""Attention again, from the pieces that decomposition leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node

from executorch.backends.xnnpack.graph.constants import Constants, name_of, program_constants
from executorch.backends.xnnpack.published._passes.edits import edited, new_call
from executorch.backends.xnnpack.published._passes.xnnpack_pass import XNNPACKPass
from executorch.dialects import meta_keys
from executorch.ir.rewriter import is_call, replace
from executorch.ir.values import rank_of
from executorch.passes.infrastructure.pass_base import PassResult

_aten = torch.ops.aten
_RESHAPES = ("aten.view_copy.default", "aten.expand_copy.default")
_CASTS = ("dim_order_ops._to_dim_order_copy.default", "aten._to_copy.default")
_COPIES = ("dim_order_ops._clone_dim_order.default", "aten.clone.default")
_PERMUTATION = "aten.permute_copy.default"


@dataclass(frozen=True)
class _Attention:
    """What was found: the operands, and the last of the pieces."""

    query: Node
    key: Node
    value: Node
    mask: Node
    scale: float
    result: Node


class ConvertToSDPAPass(XNNPACKPass):
    """The products, the mask and the softmax of an attention become ``scaled_dot_product_attention``.

    ``to_edge`` takes attention apart, into single precision where the model's is half. Put together again is what has a
    mask of two dimensions, and equal batches and heads.
    """

    def call(self, graph_module: GraphModule) -> PassResult:
        constants = program_constants(self.exported_program)
        return edited(graph_module, lambda graph: _to_attention(graph, constants))


def _to_attention(graph: Graph, constants: Constants) -> bool:
    modified = False
    for node in list(graph.nodes):
        found = _attention_of(node, constants) if is_call(node, _aten._softmax.default) else None
        if found is None:
            continue
        with graph.inserting_before(found.result):
            whole = new_call(
                found.result,
                _aten.scaled_dot_product_attention.default,
                (found.query, found.key, found.value, found.mask),
                {"scale": found.scale},
            )
        replace(found.result, whole)
        modified = True
    return modified


def _attention_of(softmax: Node, constants: Constants) -> _Attention | None:
    """The attention whose weights are ``softmax``."""
    scores = softmax.args[0]
    last = softmax.args[1] in (-1, (rank_of(softmax) or 0) - 1)
    if not last or not is_call(scores, _aten.add.Tensor) or scores.kwargs.get("alpha", 1) != 1:  # type: ignore[union-attr]
        return None
    operands = [(one, other) for one, other in zip(scores.args, reversed(scores.args), strict=True)]  # type: ignore[union-attr]
    for summand, mask in operands:
        product = _stripped(summand)
        if is_call(product, _aten.bmm.default) and rank_of(mask) == 2:
            second = _second_product(softmax, scores)
            if second is not None:
                return _assembled(product, second, mask, constants)
    return None


def _second_product(softmax: Node, scores: Any) -> Node | None:
    """The product of the weights and the values."""
    node = _guarded(softmax, scores)
    while len(node.users) == 1:
        node, before = next(iter(node.users)), node
        if is_call(node, _aten.bmm.default):
            return node if node.args[0] is before else None
        if _unreshaped(node) is not before:
            return None
    return None


def _guarded(softmax: Node, scores: Any) -> Node:
    """``softmax``, or what chooses zeros for rows that are all minus infinity."""
    for user in softmax.users:
        if not is_call(user, _aten.where.self) or user.args[2] is not softmax:
            continue
        condition, zeros = user.args[:2]
        hidden = _argument(condition, _aten.logical_not.default)
        seen = _argument(_argument(hidden, _aten.any.dim), _aten.logical_not.default)
        hides = is_call(seen, _aten.eq.Scalar) and seen.args == (scores, -math.inf)
        if hides and is_call(zeros, _aten.full_like.default) and zeros.args[1] == 0:  # type: ignore[union-attr]
            return user
    return softmax


def _argument(node: Any, op: Any) -> Any:
    return node.args[0] if is_call(node, op) else None


def _assembled(first: Node, second: Node, mask: Any, constants: Constants) -> _Attention | None:
    query, by_query = _unscaled(first.args[0], constants)
    key, by_key = _unscaled(_stripped(first.args[1]), constants)
    transposed = name_of(key) == _PERMUTATION and _swaps_last(key)
    if not transposed:
        return None
    key, by_inner = _unscaled(key.args[0], constants)
    query, key, value = (_uncast(one) for one in (query, key, _stripped(second.args[1])))
    values = [one.meta[meta_keys.VAL] for one in (query, key, value)]
    result = _behind(second, values[0].dtype)
    mask = _uncast(mask)
    shapes = [list(map(str, one.shape)) for one in (*values, result.meta[meta_keys.VAL])]
    # With equal batches, one head for each: what the views fold is all in front of the last two sizes.
    if any(shape[:-2] != shapes[0][:-2] or len(shape) < 3 for shape in shapes):
        return None
    if len({one.dtype for one in (*values, mask.meta[meta_keys.VAL], result.meta[meta_keys.VAL])}) != 1:
        return None
    return _Attention(query, key, value, mask, by_query * by_key * by_inner, result)


def _unreshaped(node: Any) -> Any:
    """What ``node`` reshapes, if it leaves the last two sizes and the number of elements alone; ``node`` otherwise."""
    if name_of(node) not in _RESHAPES:
        return node
    before, after = (one.meta[meta_keys.VAL].shape for one in (node.args[0], node))
    if name_of(node) == "aten.expand_copy.default" and list(map(str, before)) != list(map(str, after)):
        return node
    return node.args[0] if list(map(str, before[-2:])) == list(map(str, after[-2:])) else node


def _stripped(node: Any) -> Any:
    """What ``node`` is, before reshapes."""
    while isinstance(node, Node) and (source := _unreshaped(node)) is not node:
        node = source
    return node


def _uncast(node: Any) -> Any:
    """What ``node`` is, before it was made single precision."""
    if name_of(node) not in _CASTS or node.meta[meta_keys.VAL].dtype is not torch.float32:
        return node
    return node.args[0] if node.args[0].meta[meta_keys.VAL].dtype is torch.float16 else node


def _unscaled(node: Any, constants: Constants) -> tuple[Any, float]:
    """What ``node`` is a multiple of, and of which number."""
    factor = 1.0
    while True:
        node = _stripped(node)
        number = _number(node, constants)
        if number is None:
            return node, factor
        factor *= number
        node = node.args[0]


def _number(node: Any, constants: Constants) -> float | None:
    """The number that ``node`` multiplies its first argument with."""
    if is_call(node, _aten.mul.Scalar):
        return float(node.args[1])
    if not is_call(node, _aten.mul.Tensor) or not isinstance(node.args[1], Node):
        return None
    tensor = constants(node.args[1])
    return None if tensor is None or tensor.numel() != 1 else float(tensor)


def _swaps_last(node: Node) -> bool:
    axes: Any = node.args[1]
    wanted = list(range(len(axes)))
    wanted[-2:] = reversed(wanted[-2:])
    return [axis % len(axes) for axis in axes] == wanted


def _behind(product: Node, dtype: torch.dtype) -> Node:
    """The last node that holds what ``product`` calculates, in its order and in ``dtype``: behind casts and views."""
    node = found = product
    order: list[int] | None = None
    while len(node.users) == 1:
        user = next(iter(node.users))
        name = name_of(user)
        reshapes = name in _RESHAPES and _unreshaped(user) is node
        casts = name in _CASTS and user.meta[meta_keys.VAL].dtype is dtype
        if name == _PERMUTATION:
            axes: Any = user.args[1]
            rank = len(axes)
            before = list(range(rank)) if order is None else order
            order = [before[axis % rank] for axis in axes]
        elif name not in _COPIES and (order is not None or not (reshapes or casts)):
            break
        node = user
        if order is None or order == sorted(order):
            found = node
    return found
