"""Values that are read as numbers only to become integers again stay integers."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import (
    ATEN,
    DEQUANTIZES,
    EDGE,
    QUANTIZES,
    dtype,
    is_one_of,
    parameters,
)
from executorch.ir.rewriter import call_like, refresh_values, replace, source_of
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = EDGE.aten
#: What treats all elements alike, whatever they stand for.
_VIEWS = (_aten.view_copy.default,)
_MOVES = (
    *_VIEWS,
    _aten.permute_copy.default,
    _aten.transpose_copy.int,
    _aten.squeeze_copy.default,
    _aten.squeeze_copy.dim,
    _aten.squeeze_copy.dims,
    _aten.unsqueeze_copy.default,
    _aten.clone.default,
    _aten.alias_copy.default,
    _aten.detach_copy.default,
)


class FuseQuantDequantToRequantizePass(GraphPass):
    """``dequantize -> quantize`` becomes ``requantize``, or nothing where both have the same parameters.

    Views and permutations may stand between the two; they move integers then. ``quantize -> dequantize`` with the same
    parameters goes as well: what it does to a value is to round it, and to limit it to the range that was observed.

    Args:
        allow_requantize: if not, only pairs of the same parameters go.
        force_quant_dequant_fusion: ``quantize -> dequantize`` goes over any number of permutations; otherwise over views only,
            since those permutations run on more bytes afterwards.
    """

    def __init__(self, allow_requantize: bool = True, force_quant_dequant_fusion: bool = False) -> None:
        super().__init__()
        self.allow_requantize = allow_requantize
        self.force_quant_dequant_fusion = force_quant_dequant_fusion

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        moving = _MOVES if self.force_quant_dequant_fusion else _VIEWS
        changed = False
        for node in list(graph_module.graph.nodes):
            if not node.users or node.op != "call_function":
                continue
            changed |= self._to_integers(node) or _skip_pairs(node, moving)
        return changed

    def _to_integers(self, dequantize: Node) -> bool:
        """Takes a dequantization out behind which everything is quantized again."""
        if not is_one_of(dequantize, DEQUANTIZES):
            return False
        moves: list[Node] = []
        ends = _ends(dequantize, QUANTIZES, moves)
        read = parameters(dequantize)
        if not ends or not (self.allow_requantize or all(parameters(end) == read for end in ends)):
            return False
        for end in ends:
            if parameters(end) == read:
                replace(end, source_of(end))
            else:
                _requantize(end, read)
        replace(dequantize, source_of(dequantize))
        refresh_values(end.graph, moves)
        return True


class RemoveBranchedQuantDequant(GraphPass):
    """What reads a quantized value as numbers again, beside others that want the integers, reads the value itself."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if len(node.users) > 1:
                changed |= _skip_pairs(node, _VIEWS)
        return changed


def _skip_pairs(quantize: Node, moving: tuple[Any, ...]) -> bool:
    """Takes pairs of a quantization and a dequantization by the same parameters out; others may read the integers."""
    if not is_one_of(quantize, QUANTIZES):
        return False
    changed = False
    for first in list(quantize.users):
        moves: list[Node] = []
        end = first
        while is_one_of(end, moving) and len(end.users) == 1:
            moves.append(end)
            (end,) = end.users
        if not is_one_of(end, DEQUANTIZES) or parameters(end) != parameters(quantize):
            continue
        if dtype(end) != dtype(quantize.args[0]):
            continue
        replace(end, moves[-1] if moves else source_of(quantize))
        if moves:
            first.replace_input_with(quantize, source_of(quantize))
            refresh_values(quantize.graph, moves)
        changed = True
    return changed


def _requantize(quantize: Node, read: tuple[Any, ...]) -> None:
    """Puts what makes other integers of integers in the place of a quantization; its narrower limits stay limits."""
    scale, zero_point, low, high, kind = parameters(quantize)
    args = (quantize.args[0], *read[:2], scale, zero_point, kind)
    made = call_like(quantize, torch.ops.cadence.requantize.per_tensor, args)
    made.meta = dict(quantize.meta)
    if low > torch.iinfo(kind).min or high < torch.iinfo(kind).max:
        made = call_like(quantize, ATEN.clamp.default, (made, low, high))
    replace(quantize, made)


def _ends(node: Node, wanted: tuple[object, ...], moves: list[Node]) -> list[Node]:
    """The calls of ``wanted`` at the ends of all ways from a node over ``moves``; none if a way ends otherwise."""
    found: list[Node] = []
    pending = list(node.users)
    while pending:
        user = pending.pop()
        if is_one_of(user, wanted):
            found.append(user)
        elif is_one_of(user, _MOVES) and user.users:
            moves.append(user)
            pending += user.users
        else:
            return []
    return found


__all__ = ["FuseQuantDequantToRequantizePass", "RemoveBranchedQuantDequant"]
