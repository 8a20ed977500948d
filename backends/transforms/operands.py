"""What a call of an operator is given: its tensors as examples, dimensions counted from the front, lists in full."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.ir.rewriter import arguments


def tensor(node: Any) -> torch.Tensor:
    """The example tensor of a node."""
    value = node.meta[meta_keys.VAL]
    assert isinstance(value, torch.Tensor), node
    return value


def rank(node: Any) -> int:
    """How many dimensions a node's tensor has."""
    return tensor(node).dim()


def front(node: Any, dim: int) -> int:
    """A dimension, counted from the front."""
    return dim % max(rank(node), 1)


def fronts(node: Any, dims: Sequence[int] | int | None) -> list[int]:
    """Dimensions, counted from the front; all if none are named."""
    if dims is None or (not isinstance(dims, int) and not dims):
        return list(range(rank(node)))
    return [front(node, dim) for dim in ([dims] if isinstance(dims, int) else dims)]


def permutation(node: Node) -> tuple[Node, list[int]]:
    """What is permuted, and the order of its dimensions, of ``permute``, ``transpose`` and ``t``."""
    named = arguments(node)
    source = named["self"]
    order = list(range(rank(source)))
    if "dims" in named:
        order = [front(source, dim) for dim in named["dims"]]
    elif "dim0" in named:
        one, other = front(source, named["dim0"]), front(source, named["dim1"])
        order[one], order[other] = order[other], order[one]
    else:
        order.reverse()
    return source, order


def spread(value: Any, count: int) -> list[Any]:
    """A number or a list of one as a list of ``count``."""
    items = [value] if not isinstance(value, list | tuple) else list(value)
    return items * count if len(items) == 1 else items


def results_read(node: Node) -> list[torch.Tensor]:
    """The tensors that a node makes, of several results those that are read."""
    value = node.meta.get(meta_keys.VAL)
    if not isinstance(value, tuple | list):
        return [value] if isinstance(value, torch.Tensor) else []
    read = {user.args[1] for user in node.users if user.target is operator.getitem and user.users}
    return [one for at, one in enumerate(value) if at in read and isinstance(one, torch.Tensor)]
