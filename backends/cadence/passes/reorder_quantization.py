"""Quantization earlier, and dequantization later: what is in between moves a quarter of the bytes, and pairs meet."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from torch.fx import GraphModule, Node

from executorch.backends.cadence.passes.edits import (
    ATEN,
    DEQUANTIZES,
    EDGE,
    QUANTIZES,
    is_one_of,
    parameters,
)
from executorch.dialects.edge_ops import aten_op
from executorch.ir.rewriter import (
    arguments,
    call_like,
    in_dialect_of,
    is_call,
    new_call,
    refresh_values,
    replace,
    source_of,
)
from executorch.passes.infrastructure.pass_base import GraphPass

_aten = EDGE.aten
#: What moves the elements of one tensor, all of them.
MOVES: Final = (
    _aten.view_copy.default,
    _aten.permute_copy.default,
    _aten.transpose_copy.int,
    _aten.squeeze_copy.default,
    _aten.squeeze_copy.dim,
    _aten.squeeze_copy.dims,
    _aten.unsqueeze_copy.default,
    _aten.clone.default,
)
#: What moves elements of one tensor, maybe not all.
CHOICES: Final = (*MOVES, _aten.slice_copy.Tensor, _aten.select_copy.int)


def _quantize(like: Node, source: Any, given: tuple[Any, ...], before: Node) -> Node:
    op = aten_op(like.target)
    assert op is not None
    return call_like(before, op, (source, *given))


class AdvanceQuantizeOpAboveDefChainPass(GraphPass):
    """Quantizes what a view, a permutation or a concatenation reads, rather than what it gives.

    Only where nothing else reads the numbers. What is concatenated is quantized part by part.

    Args:
        extra_quantizable_ops: more operators that only move elements, each with the places of its tensors among the arguments.
    """

    def __init__(self, extra_quantizable_ops: dict[Any, tuple[int, ...]] | None = None) -> None:
        super().__init__()
        self._tensors = dict.fromkeys(MOVES, (0,)) | dict(extra_quantizable_ops or {})

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        # From the end: an operator that a quantization has moved over may stand behind another.
        for node in reversed(list(graph_module.graph.nodes)):
            changed |= is_one_of(node, QUANTIZES) and self._advance(node)
        return changed

    def _advance(self, quantize: Node) -> bool:
        source = quantize.args[0]
        if not isinstance(source, Node) or len(source.users) != 1 or source.op != "call_function":
            return False
        given = parameters(quantize)
        if is_call(source, ATEN.cat.default):
            parts: list[Any] = list(arguments(source)["tensors"])
            made = {part: _quantize(quantize, part, given, source) for part in dict.fromkeys(parts)}
            source.args = ([made[part] for part in parts], *source.args[1:])
        elif source.target in self._tensors:
            made = {}
            for place in self._tensors[source.target]:
                part: Any = source.args[place]
                made[part] = made.get(part) or _quantize(quantize, part, given, source)
                source.update_arg(place, made[part])
        else:
            return False
        replace(quantize, source)
        refresh_values(source.graph, [source])
        for one in made.values():
            self._advance(one)
        return True


class AdvanceQuantizeOpAboveDefInBranchPass(GraphPass):
    """Quantizes a value once where all that is made of it, by views, permutations and slices, is quantized.

    Where several branches are quantized, the value gets the parameters of most of them; each branch then goes back to numbers
    and is quantized as before, which :class:`~executorch.backends.cadence.passes.fuse_requantization.FuseQuantDequantToRequantizePass`
    makes one step, or none, of.

    Args:
        keeps_ranges: leave values alone that the branches have other parameters for: one that is quantized by another's
            parameters is limited to that one's range.
    """

    def __init__(self, keeps_ranges: bool = False) -> None:
        super().__init__()
        self.keeps_ranges = keeps_ranges

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if is_one_of(node, CHOICES) and not is_one_of(node.args[0], CHOICES):
                changed |= self._advance(node)
        return changed

    def _advance(self, first: Node) -> bool:
        moves: list[Node] = [first]
        ends: list[Node] = []
        for node in moves:
            for user in node.users:
                if is_one_of(user, QUANTIZES):
                    ends.append(user)
                elif is_one_of(user, CHOICES):
                    moves.append(user)
                else:
                    return False
        counts = Counter(map(parameters, ends))
        if not ends or (self.keeps_ranges and len(counts) > 1):
            return False
        chosen = max(counts, key=lambda given: (counts[given], given[0]))
        like = next(end for end in ends if parameters(end) == chosen)
        if len(ends) == 1:
            replace(like, source_of(like))
        else:
            for end in ends:
                dequantize = DEQUANTIZES[QUANTIZES.index(end.target)]
                op = aten_op(dequantize)
                assert op is not None
                back = call_like(end, op, (end.args[0], *chosen))
                back.meta["val"] = source_of(end).meta["val"]
                end.replace_input_with(source_of(end), back)
        first.replace_input_with(source_of(first), _quantize(like, source_of(first), chosen, first))
        refresh_values(first.graph, moves)
        return True


class PostponeDequantizeOpBelowUseChainPass(GraphPass):
    """Moves integers through views, permutations and slices, and makes numbers of what comes out."""

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        pending = list(graph_module.graph.nodes)
        while pending:
            node = pending.pop(0)
            if not is_one_of(node, DEQUANTIZES) or not node.users:
                continue
            if not all(is_one_of(user, CHOICES) for user in node.users):
                continue
            users = list(node.users)
            made = [self._postpone(node, user) for user in users]
            node.graph.erase_node(node)
            refresh_values(graph_module.graph, users)
            pending = made + pending
            changed = True
        return changed

    @staticmethod
    def _postpone(dequantize: Node, user: Node) -> Node:
        op = aten_op(dequantize.target)
        assert op is not None
        readers = list(user.users)
        user.replace_input_with(dequantize, source_of(dequantize))
        with user.graph.inserting_after(user):
            args = (user, *parameters(dequantize))
            made = new_call(dequantize, in_dialect_of(dequantize, op), args, dict(dequantize.kwargs))
        made.meta["val"] = user.meta["val"]
        for reader in readers:
            reader.replace_input_with(user, made)
        return made


class SplitDequantizedCatPass(GraphPass):
    """A concatenation of integers read as numbers that is quantized beside other uses is made again for those.

    The copies have no other readers, so quantization can move above each, see
    :class:`AdvanceQuantizeOpAboveDefChainPass`, and meets the dequantization there.
    """

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in list(graph_module.graph.nodes):
            if not is_call(node, ATEN.cat.default):
                continue
            if any(is_one_of(part, DEQUANTIZES) for part in arguments(node)["tensors"]):
                changed |= self._split(node)
        return changed

    @staticmethod
    def _split(cat: Node) -> bool:
        groups: dict[tuple[Any, ...], list[Node]] = {}
        others = 0
        for user in cat.users:
            if is_one_of(user, QUANTIZES):
                groups.setdefault(parameters(user), []).append(user)
            else:
                others += 1
        # Where nothing else reads it, the concatenation itself serves one group.
        moving = list(groups.values())[0 if others else 1 :]
        for group in moving:
            copied = call_like(cat, ATEN.cat.default, cat.args, dict(cat.kwargs))
            for user in group:
                user.replace_input_with(cat, copied)
        return bool(moving)


class SinkOpsCloserToUsePass(GraphPass):
    """Dequantizations stand right before what reads them first: until then the value needs a quarter of the memory."""

    describes_values = True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        for node in reversed(list(graph_module.graph.nodes)):
            if not is_one_of(node, DEQUANTIZES) or not node.users:
                continue
            order = {one: place for place, one in enumerate(graph_module.graph.nodes)}
            first = min(node.users, key=order.__getitem__)
            if node.next is not first:
                first.prepend(node)
                changed = True
        return changed


class HoistOpsCloserToDefPass(GraphPass):
    """Quantizations stand right behind what they read, so that its memory is free as early as may be."""

    describes_values = True

    def rewrite_graph(self, graph_module: GraphModule) -> bool:
        changed = False
        hoisted: set[Node] = set()
        for node in list(graph_module.graph.nodes):
            if not is_one_of(node, QUANTIZES) or len(node.all_input_nodes) != 1:
                continue
            place = source_of(node)
            if place.op == "placeholder":
                place = list(graph_module.graph.find_nodes(op="placeholder"))[-1]
            while place.next in hoisted:
                place = place.next
            if place.next is not node:
                place.append(node)
                changed = True
            hoisted.add(node)
        return changed


__all__ = [
    "AdvanceQuantizeOpAboveDefChainPass",
    "AdvanceQuantizeOpAboveDefInBranchPass",
    "HoistOpsCloserToDefPass",
    "PostponeDequantizeOpBelowUseChainPass",
    "SinkOpsCloserToUsePass",
    "SplitDequantizedCatPass",
]
