"""Softmaxes that need no care for rows that are masked as a whole, since nothing masks."""

from __future__ import annotations

import math
from typing import Any

from torch.fx import Graph, Node

from executorch.backends.transforms.constants import Constants, name_of
from executorch.ir.rewriter import replace

_VIEWS = {"aten.expand_copy.default", "aten.view_copy.default", "dim_order_ops._clone_dim_order.default"}
_NOT = "aten.logical_not.default"


def simplify_softmaxes(graph: Graph, constants: Constants) -> None:
    """``where(every score is -inf, 0, softmax(scores))`` becomes the softmax where scores are products (in place).

    That is what scaled dot product attention is taken apart to. A product of numbers is a number, so there are such rows only
    where a mask is added to it.
    """
    done = False
    for node in graph.nodes:
        if name_of(node) != "aten.where.self":
            continue
        condition, _, result = node.args
        if name_of(result) == "aten._softmax.default":
            scores: Any = result.args[0]
            if _asks_for_masked_rows(condition, scores, constants) and _is_product(scores):
                replace(node, result)
                done = True
    if done:
        graph.eliminate_dead_code()


def _asks_for_masked_rows(node: Any, scores: Node, constants: Constants) -> bool:
    """Whether ``node`` is ``not any(not (scores == -inf))``."""
    for name in (_NOT, "aten.any.dim", _NOT):
        if name_of(node) != name:
            return False
        node = node.args[0]
    if not name_of(node).startswith("aten.eq.") or node.args[0] is not scores:
        return False
    limit = node.args[1]
    return (constants.number(limit) if isinstance(limit, Node) else limit) == -math.inf


def _is_product(node: Any) -> bool:
    while name_of(node) in _VIEWS:
        node = node.args[0]
    return name_of(node) in ("aten.bmm.default", "aten.mm.default")
