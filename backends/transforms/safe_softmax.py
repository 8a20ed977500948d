"""Softmaxes that need no care for rows that are masked as a whole, since nothing masks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch.fx import Graph, Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.dialects import meta_keys
from executorch.ir.rewriter import replace

_VIEWS = {"aten.expand_copy.default", "aten.view_copy.default", "dim_order_ops._clone_dim_order.default"}
_NOT = "aten.logical_not.default"


def simplify_softmaxes(
    graph: Graph, constants: Constants | None, are_numbers: Callable[[Any], bool] | None = None
) -> bool:
    """``where(every score is -inf, 0, softmax(scores))`` becomes the softmax where scores are products (in place).

    That is what scaled dot product attention is taken apart to. A product of numbers is a number, so there are such rows only
    where a mask is added to it.

    Args:
        graph: of edge calls.
        constants: of the program, None if only what calls say themselves is known.
        are_numbers: called with the scores; whether no row of them is masked as a whole.

    Returns:
        Whether there was one.
    """
    are_numbers = are_numbers or _is_product
    done = False
    for node in graph.nodes:
        if name_of(node) != "aten.where.self":
            continue
        condition, fill, result = node.args
        if name_of(result) != "aten._softmax.default" or not _is_zero(fill, constants):
            continue
        if node.meta[meta_keys.VAL].dtype != result.meta[meta_keys.VAL].dtype:
            continue
        if _asks_for_masked_rows(condition, result, constants) and are_numbers(result.args[0]):
            replace(node, result)
            done = True
    if done:
        graph.eliminate_dead_code()
    return done


def _is_zero(node: Any, constants: Constants | None) -> bool:
    name = name_of(node)
    if name.startswith("aten.zeros"):
        return True
    if name.startswith("aten.full"):
        return bool(node.args[1] == 0)
    return constants is not None and node in constants and not bool(constants[node].any())


def _asks_for_masked_rows(node: Any, softmax: Node, constants: Constants | None) -> bool:
    """Whether ``node`` is ``not any(not (scores == -inf))`` along the rows of the softmax."""
    scores, dim = softmax.args[0], softmax.args[1]
    rank = softmax.meta[meta_keys.VAL].dim()
    for name in (_NOT, "aten.any.dim", _NOT):
        if name_of(node) != name:
            return False
        if name != _NOT and (node.args[1] % rank != dim % rank or node.args[2:] != (True,)):  # type: ignore[operator]
            return False
        node = node.args[0]
    if not name_of(node).startswith("aten.eq.") or node.args[0] is not scores:
        return False
    limit = node.args[1]
    if isinstance(limit, Node):
        limit = None if constants is None else constants.number(limit)
    return bool(limit == -math.inf)


def _is_product(node: Any) -> bool:
    while name_of(node) in _VIEWS:
        node = node.args[0]
    return name_of(node) in ("aten.bmm.default", "aten.mm.default")
