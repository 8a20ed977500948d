"""Released passes over limits and comparisons."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.arm.published._passes.rule_pass import RulePass
from executorch.backends.arm.tosa.specification import get_context_spec
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import arguments, call_like, is_call

_aten = torch.ops.aten


def _dtype(node: Any) -> torch.dtype:
    dtype: torch.dtype = node.meta[meta_keys.VAL].dtype
    return dtype


def _clamp(node: Node) -> Node:
    given = arguments(node)
    limits = (0, None) if "relu" in str(node.target) else (given["min_val"], given["max_val"])
    return call_like(node, _aten.clamp.default, (given["self"], *limits))


class ConvertToClampPass(RulePass):
    """``relu`` and ``hardtanh`` as ``clamp``."""

    rules = dict.fromkeys((_aten.relu.default, _aten.hardtanh.default), _clamp)


def _limits(node: Node) -> tuple[float, float]:
    given = arguments(node)
    low, high = given["min"], given["max"]
    return -math.inf if low is None else low, math.inf if high is None else high


def _one_clamp(node: Node) -> Node | None:
    inner: Any = node.args[0]
    if not is_call(inner, _aten.clamp.default) or len(inner.users) > 1:
        return None
    (low, high), (first, last) = _limits(inner), _limits(node)
    low, high = max(low, first), min(high, last)
    if low > high:
        return None
    limits = [None if math.isinf(one) else one for one in (low, high)]
    return call_like(node, _aten.clamp.default, (inner.args[0], *limits))


class FuseConsecutiveClampsPass(RulePass):
    """One clamp in place of two, the first of which nobody else reads, unless their limits have nothing in common."""

    rules = {_aten.clamp.default: _one_clamp}


def _of_integers(node: Node) -> Node | None:
    given = arguments(node)
    made = given["self"]
    if _dtype(made) is not torch.int32:
        return None
    for limit, op in ((given["min"], _aten.maximum.default), (given["max"], _aten.minimum.default)):
        if isinstance(limit, int | float):
            limit = call_like(node, _aten.full.default, ([1], int(limit)), {"dtype": torch.int32})
        made = made if limit is None else call_like(node, op, (made, limit))
    return made  # type: ignore[no-any-return]


class DecomposeTOSAUnsupportedClampPass(RulePass):
    """A clamp of int32, which TOSA has not, as the larger and the smaller of two."""

    rules = {_aten.clamp.default: _of_integers, _aten.clamp.Tensor: _of_integers}


def _turned(node: Node) -> Node:
    op = _aten.gt.Tensor if "lt" in str(node.target) else _aten.ge.Tensor
    return call_like(node, op, (node.args[1], node.args[0]))


class RewriteLeLtToGeGtPass(RulePass):
    """``lt`` and ``le`` as ``gt`` and ``ge`` of changed operands."""

    rules = {_aten.lt.Tensor: _turned, _aten.le.Tensor: _turned}


_NARROW = {torch.int8: torch.float16, torch.int16: torch.float32}


def _cast(node: Node) -> Node | None:
    read = [one for one in node.args[:2] if isinstance(one, Node)]
    if get_context_spec().support_integer() or any(_dtype(one) not in _NARROW for one in read):
        return None
    dtype = torch.float32 if any(_dtype(one) is torch.int16 for one in read) else torch.float16
    args = [_converted(node, one, dtype) if isinstance(one, Node) else one for one in node.args[:2]]
    return call_like(node, aten_op(node.target), args)


def _converted(node: Node, one: Node, dtype: torch.dtype) -> Node:
    return call_like(node, torch.ops.dim_order_ops._to_dim_order_copy.default, (one,), {"dtype": dtype})


class CastIntComparisonInputsPass(RulePass):
    """Comparisons of int8 and int16 in floating point where TOSA has no integers; every such integer has a float of its own."""

    rules = dict.fromkeys(
        (
            getattr(getattr(_aten, name), form)
            for name in ("eq", "ne", "gt", "ge", "lt", "le")
            for form in ("Tensor", "Scalar")
        ),
        _cast,
    )
