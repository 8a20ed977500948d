"""Released passes that take operators apart."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Node

from executorch.backends.arm.published._passes.rule_pass import RulePass
from executorch.backends.arm.quantizer.decompositions import (
    cosine_similarity,
    masked_fill,
    norm,
    parts,
    quotient,
    variance,
)
from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments, call_like, replace

_aten = torch.ops.aten
_MOST = 1 << 62


def _value(node: Any) -> torch.Tensor:
    value: torch.Tensor = node.meta[meta_keys.VAL]
    return value


def _number(node: Node, number: float, like: Any) -> Node:
    """A constant of one element."""
    return call_like(node, _aten.full.default, ([1], number), {"dtype": _value(like).dtype})


def _softmax(node: Node, shifts: bool = True) -> Node:
    given = arguments(node)
    x, dim = given["self"], [given["dim"]]
    if shifts:
        x = call_like(node, _aten.sub.Tensor, (x, call_like(node, _aten.amax.default, (x, dim, True))))
    powers = call_like(node, _aten.exp.default, (x,))
    over = call_like(
        node, _aten.reciprocal.default, (call_like(node, _aten.sum.dim_IntList, (powers, dim, True)),)
    )
    made = call_like(node, _aten.mul.Tensor, (powers, over))
    return call_like(node, _aten.log.default, (made,)) if "log_softmax" in str(node.target) else made


class DecomposeSoftmaxPass(RulePass):
    """``softmax`` and ``log_softmax`` as powers of e over their sum, below the largest, so that none overflows.

    Args:
        skip_safe_softmax: leaves ``_safe_softmax``, whose rows may be empty.
    """

    rules = dict.fromkeys(
        (_aten._softmax.default, _aten._log_softmax.default, _aten.softmax.int, _aten.log_softmax.int),
        _softmax,
    )

    def __init__(self, *args: Any, skip_safe_softmax: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        if not skip_safe_softmax:
            self.rules = {**self.rules, _aten._safe_softmax.default: _softmax}  # type: ignore[misc]


class DecomposeVarPass(RulePass):
    """``var.correction`` as the mean of squared differences from the mean."""

    rules = {_aten.var.correction: variance}


def _layer_norm(node: Node) -> bool:
    given = arguments(node)
    native = "native" in str(node.target)
    if native and any(one.target is not operator.getitem or one.args[1] != 0 for one in node.users):
        return False
    x, count = given["input"], len(given["normalized_shape"])
    dim = [-one for one in range(count, 0, -1)]
    mean = call_like(node, _aten.mean.dim, (x, dim, True))
    spread = call_like(node, _aten.var.correction, (x, dim), {"correction": 0, "keepdim": True})
    spread = call_like(node, _aten.add.Tensor, (spread, _number(node, given["eps"], x)))
    centred = call_like(node, _aten.sub.Tensor, (x, mean))
    made = call_like(node, _aten.mul.Tensor, (centred, call_like(node, _aten.rsqrt.default, (spread,))))
    shape = [1] * (_value(x).dim() - count) + list(given["normalized_shape"])
    for name, op in (("weight", _aten.mul.Tensor), ("bias", _aten.add.Tensor)):
        if given[name] is not None:
            made = call_like(node, op, (made, call_like(node, _aten.view_copy.default, (given[name], shape))))
    for user in list(node.users) if native else ():
        replace(user, made)
    if not native:
        node.replace_all_uses_with(made)
    return True


class DecomposeLayerNormPass(RulePass):
    """Layer norm as mean, variance and the reciprocal of its root; not where mean or deviation are read."""

    rules = {_aten.native_layer_norm.default: _layer_norm, _aten.layer_norm.default: _layer_norm}


def _by_tensor(node: Node) -> Node | None:
    if isinstance(node.args[1], int | float):
        over = call_like(node, _aten.reciprocal.default, (_number(node, float(node.args[1]), node.args[0]),))
        return call_like(node, _aten.mul.Tensor, (node.args[0], over))
    return quotient(node)


class DecomposeDivPass(RulePass):
    """A quotient of floating-point numbers as a product with a reciprocal."""

    rules = {_aten.div.Tensor: _by_tensor}


def _leaky(node: Node) -> Node:
    given = arguments(node)
    x = given["self"]
    above = call_like(node, _aten.clamp.default, (x, 0, None))
    below = call_like(node, _aten.clamp.default, (x, None, 0))
    slope = call_like(node, _aten.full.default, ([1], given["negative_slope"]), {"dtype": _value(x).dtype})
    return call_like(node, _aten.add.Tensor, (above, call_like(node, _aten.mul.Tensor, (below, slope))))


class DecomposeLeakyReLUPass(RulePass):
    """A leaky ReLU as what is above zero and a part of what is below."""

    rules = dict.fromkeys((_aten.leaky_relu.default, _aten.leaky_relu_.default), _leaky)


class DecomposeLinalgVectorNormPass(RulePass):
    """Norms of the orders 1, 2 and infinity as sums, roots and extremes."""

    rules = {_aten.linalg_vector_norm.default: norm}


class DecomposeCosineSimilarityPass(RulePass):
    """A product of vectors over that of their lengths."""

    rules = {_aten.cosine_similarity.default: cosine_similarity}


class DecomposeMaskedFillPass(RulePass):
    """``masked_fill`` as ``where``."""

    rules = {_aten.masked_fill.Scalar: masked_fill}


class ConvertSplitToSlicePass(RulePass):
    """Each part that is read is a slice of its own."""

    rules = dict.fromkeys(
        (
            _aten.split.Tensor,
            _aten.split_copy.Tensor,
            _aten.split_with_sizes.default,
            _aten.split_with_sizes_copy.default,
        ),
        parts,
    )


def _linear(node: Node) -> Node | None:
    given = arguments(node)
    x, weight = given["input"], given["weight"]
    *before, inputs = _value(x).shape
    unknown = [i for i, one in enumerate(before) if not isinstance(one, int)]
    if len(unknown) > 1 or not isinstance(inputs, int):
        return None
    outputs = _value(weight).shape[0]
    flat = call_like(node, _aten.view_copy.default, (x, [-1, inputs, 1, 1]))
    filters = call_like(node, _aten.view_copy.default, (weight, [outputs, inputs, 1, 1]))
    geometry = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    made = call_like(node, _aten.convolution.default, (flat, filters, given["bias"], *geometry))
    shape = [-1 if i in unknown else one for i, one in enumerate(before)]
    return call_like(node, _aten.view_copy.default, (made, [*shape, outputs]))


class DecomposeLinearPass(RulePass):
    """A linear layer as a convolution with filters of one element; one dimension may be of unknown size."""

    rules = {_aten.linear.default: _linear}


def _power(node: Node) -> Node | None:
    """Squared again and again: as many products as the exponent has bits, and ones among them."""
    x, exponent = node.args
    if not isinstance(exponent, int | float) or exponent != int(exponent):
        return None
    rest, made, power = abs(int(exponent)), None, x
    if rest == 0:
        return call_like(node, _aten.full_like.default, (x, 1))
    while rest:
        if rest & 1:
            made = power if made is None else call_like(node, _aten.mul.Tensor, (made, power))
        rest >>= 1
        power = call_like(node, _aten.mul.Tensor, (power, power)) if rest else power
    return call_like(node, _aten.reciprocal.default, (made,)) if exponent < 0 else made  # type: ignore[return-value]


class DecomposeIntPowPass(RulePass):
    """Whole powers as products."""

    rules = {_aten.pow.Tensor_Scalar: _power}


def _selected(node: Node) -> Node:
    given = arguments(node)
    x, dim, at = given["self"], given["dim"] % _value(given["self"]).dim(), given["index"]
    # From the end on, where the size may be unknown.
    stop = _MOST if at == -1 else at + 1
    cut = call_like(node, _aten.slice_copy.Tensor, (x, dim, at, stop))
    return call_like(node, _aten.squeeze_copy.dims, (cut, [dim]))


class DecomposeSelectPass(RulePass):
    """One place along a dimension as a slice without that dimension."""

    rules = {_aten.select.int: _selected, _aten.select_copy.int: _selected}


def _embedding(node: Node) -> Node:
    table, index = node.args[:2]
    flat = call_like(node, _aten.view_copy.default, (index, [-1]))
    rows = call_like(node, _aten.index_select.default, (table, 0, flat))
    return call_like(node, _aten.view_copy.default, (rows, list(_value(node).shape)))


class DecomposeEmbeddingPass(RulePass):
    """Rows of a table, by ``index_select``."""

    rules = {_aten.embedding.default: _embedding}
