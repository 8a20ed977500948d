"""Rotations of positions, which OpenVINO has an operator for and finds in graphs where they are not.

OpenVINO 2026.4 takes ``x * cos + cat([-x[h:], x[:h]]) * sin`` for a rotation of halves whatever ``h`` is, where ``cos`` has one column
for all, and where ``x`` is repeated; and ``cat([a * cos - b * sin, a * sin + b * cos])`` for another one than it is. What comes out is
wrong, or memory that is not the tensor's. What is not as its operator has it is said in a way that it leaves alone.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import Graph, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op

aten = torch.ops.aten


def opposite(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Of a part that is mistaken, the part of the whole's opposite; of a product, by its first factor: see :func:`difference`."""
    of: Any = args[0]
    if _is_mistaken(node, node.args[0]):
        return _part_of(graph, of, aten.neg.default)
    if not isinstance(of, Node) or of.target is not aten.mul.Tensor:
        return graph.call_function(aten.neg.default, args, kwargs)
    factor = graph.call_function(aten.neg.default, of.args[:1])
    return graph.call_function(aten.mul.Tensor, (factor, of.args[1]))


def product(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Of a part that is mistaken and one number, the part of the whole's product."""
    for place in (0, 1):
        number: Any = node.args[1 - place]
        if _is_mistaken(node, node.args[place]) and number.meta[meta_keys.VAL].numel() == 1:
            return _part_of(graph, args[place], aten.mul.Tensor, args[1 - place])
    return graph.call_function(aten.mul.Tensor, args, kwargs)


def difference(graph: Graph, node: Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Node:
    """Half of a rotation, ``cat([a * cos - b * sin, ...])``, is ``a * cos + -b * sin``."""
    less: Any = args[1]
    is_product = isinstance(less, Node) and less.target is aten.mul.Tensor
    if kwargs or not is_product or not any(_name(user) == "aten.cat.default" for user in node.users):
        return graph.call_function(aten.sub.Tensor, args, kwargs)
    return graph.call_function(aten.add.Tensor, (args[0], opposite(graph, node, (less,), {})))


def _name(node: Any) -> str:
    return str(aten_op(node.target)) if isinstance(node, Node) else ""


def _sizes(node: Node) -> list[Any]:
    """Symbolic ones by their expressions, which compare without a guard."""
    return [size if isinstance(size, int) else size.node.expr for size in node.meta[meta_keys.VAL].shape]


@dataclass(frozen=True)
class _Part:
    """A range of the last dimension, in one piece."""

    whole: Node
    start: int
    size: Any


def _part(node: Any) -> _Part | None:
    if _name(node) == "aten.slice_copy.Tensor":
        given: Any = (*node.args, *(0, None, None, 1)[len(node.args) - 1 :])
        whole, dim, start, _, step = given
    elif isinstance(node, Node) and node.target is operator.getitem:
        split: Any = node.args[0]
        if _name(split) != "aten.split_with_sizes_copy.default":
            return None
        whole, sizes, dim = (*split.args, 0)[:3]
        start, step = sum(sizes[: node.args[1]]), 1
    else:
        return None
    rank = len(whole.meta[meta_keys.VAL].shape)
    start = start or 0
    if dim % rank != rank - 1 or step != 1 or not isinstance(start, int):
        return None
    size = _sizes(node)[-1]
    return _Part(whole, start % _sizes(whole)[-1] if start < 0 else start, size)


def _is_mistaken(node: Node, part: Any) -> bool:
    """Whether ``node``, made of ``part``, and the rest of the same tensor stand side by side and are no rotation of halves."""
    high = _part(part)
    if high is None:
        return False
    for user in node.users:
        pieces: Any = user.args[0] if _name(user) == "aten.cat.default" else ()
        low = _part(pieces[1]) if len(pieces) == 2 and pieces[0] is node else None
        if low is not None and low.whole is high.whole and not _is_rotation(user, low, high):
            return True
    return False


def _is_rotation(turned: Node, low: _Part, high: _Part) -> bool:
    shape = _sizes(low.whole)
    if not isinstance(shape[-1], int):
        return False
    half = shape[-1] // 2
    halves = (low.start, low.size, high.start, high.size) == (0, half, half, half)
    found = list(_sums(turned, low.whole))
    return halves and all(
        _sizes(total) == shape and _sizes(cos)[-1:] == _sizes(sin)[-1:] == shape[-1:]
        for total, cos, sin in found
    )


def _sums(turned: Node, whole: Node) -> Iterator[tuple[Node, Node, Node]]:
    """``whole * cos + turned * sin``, with both factors."""
    for scaled in turned.users:
        sin = _other(scaled, turned, "aten.mul.Tensor")
        for total in scaled.users if sin is not None else ():
            straight = _other(total, scaled, "aten.add.Tensor")
            cos = None if straight is None else _other(straight, whole, "aten.mul.Tensor")
            if sin is not None and cos is not None:
                yield total, cos, sin


def _other(node: Node, one: Node, name: str) -> Node | None:
    """The operand beside ``one``."""
    if _name(node) != name or one not in node.args[:2]:
        return None
    found = node.args[1] if node.args[0] is one else node.args[0]
    return found if isinstance(found, Node) else None


def _part_of(graph: Graph, part: Node, op: Any, *others: Any) -> Node:
    """The same range of what ``op`` makes of the whole."""
    source: Any = part.args[0]
    if part.target is operator.getitem:
        made = graph.call_function(op, (source.args[0], *others))
        new = graph.call_function(source.target, (made, *source.args[1:]))
    else:
        new = graph.call_function(op, (source, *others))
    return graph.call_function(part.target, (new, *part.args[1:]))  # type: ignore[arg-type]
